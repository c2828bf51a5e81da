"""Flags that several commands share, and how commands open what they name.

flags.py        the flags themselves
worlds.py       worlds
webs.py         webs
models.py       models, with prices, paces and profiles
judges.py       judges, and the world that an experiment was made in
query_files.py  the file that queries are written to
systems.py      systems under test: agents, models and users, ablations, the paper's preset
"""
