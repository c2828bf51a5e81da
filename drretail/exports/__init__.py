"""An experiment in the forms that other programs read.

formats.py         the table of forms; reports as deep_research_bench takes them, web pages as a corpus, inspect's logs
selection.py       which runs are exported, with their values by judges
redaction.py       rows without personal data
chat.py            runs as chat JSONL, for fine-tuning, one conversation each
roles.py           what the models of a run's roles were sent and answered, as chat JSONL
score_tables.py    scores, values of single reports and verdicts as CSV and Parquet
statements.py      what answers say, one row for each statement
columns.toml       the columns of the tables with their SQL types
dataset.py         a folder that a dataset hub takes, with a card
inspect_log.py     logs of inspect_ai, one a system, with judges' verdicts as its scores
inspect_samples.py runs as samples of these logs: messages, events, usage, errors
"""
