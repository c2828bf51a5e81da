"""Sealed webs, one for each query.

group.py          the group
build.py          sandbox build
found_pages.py    build with a search engine and a model
queries.py        queries for tasks that were built without one
sandbox_check.py  what is wrong with a sandbox
"""
