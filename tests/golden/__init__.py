"""Printed derivatives, one construct of the language each: reviewed like code."""
