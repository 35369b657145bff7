"""Forward mode: one file per construct, all functions of one writer."""
