"""Whether an experiment's folder holds what its systems produced.

verify.py         ``verify``: all checks, against the world
replayed_runs.py  runs and tool calls, made again
"""
