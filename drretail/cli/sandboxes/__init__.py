"""Sealed webs, one for each query.

group.py     the group, and build
by_model.py  build with a search engine and a model
queries.py   queries for tasks that were built without one
check.py     what is wrong with a sandbox
"""
