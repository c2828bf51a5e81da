"""Imports reports, tasks and personas in the formats of other benchmarks and products as an experiment.

options.py     the options of ``import``
commands.py    ``import``: what came of the files
formats.py     the table of formats
benchmarks.py  a reader for each of them; DR³-Eval's tasks are folders with documents and gold insights
chat.py        logs of an assistant: each conversation is a run
dialects/      the forms of such logs, one a file
conversation.py  messages in any form that providers write, turns, and who had the conversation when
trace.py       how an answer was made: steps, what tools returned, and the evidence in it
documents.py   PDF and Office files as Markdown
material.py    what every format is read from and into: rows out of JSON, JSONL and folders; tasks and reports
recording.py   the experiment's queries and folder, counts of what was imported, and the sources that reports cite
"""
