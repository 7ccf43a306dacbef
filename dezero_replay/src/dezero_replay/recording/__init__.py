"""The recording of a call: a rewritten copy of the function runs, and each step is seen."""
