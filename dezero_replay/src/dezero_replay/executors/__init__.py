"""Executors, which lower the graph of a program to a callable."""
