"""Imports reports, tasks and personas in the formats of other benchmarks and products as an experiment.

options.py     the options of ``import``
commands.py    ``import``: what came of the files
formats.py     the table of formats
benchmarks.py  a reader for each of them
chat.py        logs of an assistant: messages and spans, as steps and evidence
dr3.py         DR³-Eval, whose tasks are folders with documents and gold insights
rows.py        rows out of JSON, JSONL and folders
material.py    what every format is read into: tasks and reports
recording.py   the experiment's queries and folder, and counts of what was imported
sources.py     the sources that reports cite, and pages of them that the user gives
"""
