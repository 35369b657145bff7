"""Reverse mode: one file per construct, all functions of one sweep."""
