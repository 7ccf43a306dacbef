"""The source of a function, and its rewritten copy."""
