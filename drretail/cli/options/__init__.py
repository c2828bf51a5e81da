"""Flags that several commands share.

parameters.py   flags made from the fields of dataclasses
command.py      a command: help under headings, its exit code
flags.py        flags that are alike everywhere, alone and as such dataclasses
query_files.py  the file that queries are written to
"""
