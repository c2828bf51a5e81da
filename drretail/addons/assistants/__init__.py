"""For who runs an assistant in a shop.

options.py    the options of ``check`` and ``forget``
check.py      ``check``: one answer held against the records of a world
redaction.py  rows and texts without people; exports and imports take it from here, too
forget.py     ``forget``: an experiment without one user or conversation
"""
