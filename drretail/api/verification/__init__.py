"""Whether what an experiment's folder holds is what its systems did.

verify.py         ``verify``: all checks, against the world
replayed_runs.py  runs and tool calls, made again
"""
