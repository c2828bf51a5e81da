"""Webs and benchmarks that contestants may not see beforehand.

sandboxes.py  a sealed web for each query
bench.py      a sealed benchmark, from its making to its ranking
"""
