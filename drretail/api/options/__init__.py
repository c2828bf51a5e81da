"""The options of the commands: a dataclass for each, from which flags and keyword arguments are made.

Nothing heavy is imported here, since ``--help`` reads these modules. Types that only Python's callers give are
``object`` at run time.

shared.py     options that several commands have, and the groups of ``--help``
score.py      ScoreOptions
compare.py    CompareOptions
report.py     ReportOptions
export.py     ExportOptions
view.py       ViewOptions
lab.py        one record for each command of ``lab``
sandboxes.py  one record for each command of ``sandbox``
"""
