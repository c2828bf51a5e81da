"""Flags that several commands share.

parameters.py   flags made from the fields of dataclasses
command.py      a command, its help under headings
flags.py        flags that every command has, and --estimate
"""

DEBUG = "--debug"
"""Anywhere among the arguments: an error is followed by its traceback."""
