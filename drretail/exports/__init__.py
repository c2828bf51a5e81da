"""An experiment in the forms that other programs read.

formats.py         the table of forms
selection.py       which runs are exported, and what each of them got
redaction.py       rows without the people in them
chat.py            conversations with models as chat JSONL, for fine-tuning
drb.py             reports as deep_research_bench takes them
score_tables.py    scores, values of single reports and verdicts as CSV and Parquet
dataset.py         a folder that a dataset hub takes, with a card
sandbox_pages.py   web pages as a corpus of the sandbox
inspect_log.py     logs of inspect_ai, one a system, with judges' verdicts as its scores
inspect_samples.py runs as their samples: messages, events, usage, errors
"""
