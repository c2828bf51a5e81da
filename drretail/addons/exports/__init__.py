"""An experiment in the forms that other programs read.

options.py       the options of ``export``
commands.py      ``export``: what was written, and what was left out
formats.py       the table of forms
selection.py     which runs are exported, with their values by judges
chat.py          runs as chat JSONL: one conversation each, for fine-tuning
score_tables.py  scores, values of single reports and statements of answers as CSV
columns.toml     the columns of the tables
assertions.py    a gate in pytest: ``assert_no_worse``
"""
