"""Programs that are refused, and what is said of them."""
