"""Gradients of losses that are sums over rows: each partition of the data is a task.

`gradients` and `jacobians` have what users call. `partitions` is the data, `kernels` what is
computed of one partition, `worker` the task and the process that it runs in, `reduction` the sum of
the results, and `scheduling` the graph of these and how it is run.
"""
