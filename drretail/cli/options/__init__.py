"""Flags that several commands share.

parameters.py   flags made from the fields of dataclasses
command.py      a command: help under headings, old flags
flags.py        flags that are alike everywhere, alone and as such dataclasses
query_files.py  the file that queries are written to
systems.py      systems from flags, the paper's preset, and a runner that tells its steps
"""
