"""The functions behind the commands, and the one place where settings and environment are read.

option.py           an option, written once for flags, files and keyword arguments
options/            the options of each command
shops/              ``download``, ``synth``, ``ingest``, and the functions of ``world``
queries/            the functions behind ``queries``, and the queries of a call
doctor.py           ``doctor``: what works on this machine
settings.py         flags, environment and drretail.toml, read here only
worlds.py           a world by its spec and a web by its name, with the settings' addresses and keys
models.py           models by role, from specs, profiles and settings
systems.py          the systems and queries that options name, and the options as the experiment keeps them
run.py              ``run``: agents over queries, ``ask``: one question
recorded.py         RecordedExperiment: the runs and reports of an experiment's folder
recorded_scores.py  RecordedScores: its scores, as data frames and as tables
score.py            ``score`` and ``estimate_score``, and the judges by their specs, open models and profiles
compare.py          ``compare``: systems side by side
report.py           ``report``: pages, text and tables
prompts.py          ``prompts``: the prompts and criteria that a user may replace: listed, printed, or written to files
demo.py             ``demo``: everything from a shop to a page of results, small
demo_recording.py   the demo's questions with a language model's recorded answers, played back
recordings/         the recorded answers, and the questions
"""
