"""The objects around a call: the comparisons before a replay, and the effects after it."""
