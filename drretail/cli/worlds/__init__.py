"""How a world comes to be: raw files fetched or made up, ingested, looked at, copied.

download.py  official files
synth.py     made-up files in the same form
ingest.py    raw files → world
world.py     info, check, copy
"""
