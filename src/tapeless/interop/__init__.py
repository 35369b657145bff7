"""Derivatives in other libraries: each module imports one of them, and none is imported from here."""
