"""Prompts: instructions as files, and data in tags.

prompt.py    a prompt of a file beside its caller, replaced by a user's own text or not, and the tags around data
"""
