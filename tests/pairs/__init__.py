"""Functions as a user would write them (`primal`), beside the derivative an expert would write."""
