"""The options of the commands and of their functions, one record per command. Importing them loads nothing heavy.

experiment_file.py  ``experiment.toml``: the options of a run in a file
research.py         options of run and ask: models, tools, shop, web, limits
run.py              RunOptions, AskOptions, DemoOptions
shared.py           options of the commands that read an experiment: judges, caps, worlds, retries
score.py            ScoreOptions, CompareOptions, ReportOptions
queries.py          one record for each command of queries
shops.py            those of synth, ingest, tools, mcp, doctor, prompts and world
observer.py         an option of calls from Python: what shows notes and progress
"""
