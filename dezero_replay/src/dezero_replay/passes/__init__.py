"""Passes, which rewrite the graph of a program before an executor gets it."""
