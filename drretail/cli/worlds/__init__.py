"""How a world comes to be: raw files fetched or made up, ingested, looked at, copied.

raw_files.py  files fetched, or made up in the same form
ingest.py    raw files → world
world.py     info, check, copy
"""
