"""Worlds: raw files are fetched or made up, ingested, checked and copied.

raw_files.py  fetches files, or makes up files in the same format
ingest.py    raw files → world
world.py     info, check, copy, use
"""
