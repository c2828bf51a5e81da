"""Sealed webs, one for each query.

build.py  sandbox build
group.py  the group, and check
"""
