"""Building, filling, naming and reading trees; nothing here knows differentiation."""
