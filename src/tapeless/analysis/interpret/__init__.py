"""The abstract interpreter: one file per construct, all functions of one state."""
