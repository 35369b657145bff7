"""A file that knows nothing of NumPy, and applies the functions that it is given."""


def repeated(function, n, v):
    return v if n == 0 else repeated(function, n - 1, function(v))
