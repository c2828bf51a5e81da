"""Imports reports, tasks and personas in the formats of other benchmarks and products as an experiment.

options.py     the options of ``import``
commands.py    ``import``: what came of the files
formats.py     the table of formats
benchmarks.py  a reader for each of them; DR³-Eval's tasks are folders with documents and gold insights
chat.py        logs of an assistant: messages and spans, as steps and evidence
material.py    what every format is read from and into: rows out of JSON, JSONL and folders; tasks and reports
recording.py   the experiment's queries and folder, counts of what was imported, and the sources that reports cite
"""
