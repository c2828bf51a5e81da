"""Sealed webs, one for each query.

group.py  build and check
"""
