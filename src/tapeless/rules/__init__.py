"""The derivatives of Python's and NumPy's functions, one file per family: `built_in` has them all."""
