"""Sealed webs, one for each query.

group.py          the group
build.py          sandbox build
spent.py         what a model took, and which tasks failed
queries.py        queries for tasks that were built without one
sandbox_check.py  what is wrong with a sandbox
"""
