"""Flags that several commands share.

parameters.py   flags made from the fields of dataclasses
command.py      a command: help under headings, its exit code
flags.py        flags that are the same in every command, single and in dataclasses
"""
