"""What a workload must be to run where: the walk over pod templates, the matching of tolerations, and the checkpoint-capable rules, each in
Python for what is declared and in CEL for what reaches the cluster. Pure.
"""
