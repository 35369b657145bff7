"""Facts about core-language functions: computed from the tree, returned, never stuck on it."""
