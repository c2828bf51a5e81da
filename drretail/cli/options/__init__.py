"""Flags that several commands share.

parameters.py   flags made from the fields of dataclasses; those of every command
command.py      a command, its help under headings
"""

DEBUG = "--debug"
"""Anywhere among the arguments: an error is followed by its traceback."""
