"""An experiment in the forms that other programs read.

options.py         the options of ``export``
commands.py        ``export``: what was written, and what was left out
formats.py         the table of forms; reports as deep_research_bench takes them, web pages as a corpus
selection.py       which runs are exported, with their values by judges
redaction.py       rows without personal data
chat.py            runs as chat JSONL, for fine-tuning, one conversation each
roles.py           what the models of a run's roles were sent and answered, as chat JSONL
score_tables.py    scores, values of single reports and verdicts as CSV and Parquet
statements.py      what answers say, one row for each statement
columns.toml       the columns of the tables with their SQL types
dataset.py         a folder that a dataset hub takes, with a card
"""
