"""What the commands do, for Python, and the one edge at which settings and environment are read.

option.py     an option, written once for flags, files and keyword arguments
options/      the options of each command
observer.py   what a command shows of a call while it works
worlds.py     a world by its spec and a web by its name, with the settings' addresses and keys
models.py     models by role, from specs, profiles and settings
judges.py     judges, and the world that an experiment was made in
queries.py    the queries that functions are given
systems.py    the systems that options name
run.py        ``run``: agents over queries, ``ask``: one question
recorded.py   RecordedExperiment: the runs and reports of an experiment's folder
score.py      ``score`` and ``estimate_score``
verification/ ``verify``: whether a folder holds what its systems did
bench/        a sealed benchmark: releases, submissions, ranking
compare.py    ``compare`` and ``compare_all``: systems side by side
reproduce.py  ``reproduce``: the paper's experiment, from the estimate to a page of results
report.py     ``report`` and ``export``: pages, text, tables, plots, the forms that other programs read
view.py       ``view``: an experiment live in the browser
lab/          is the judge any good? a function for each command of ``lab``
sandboxes.py  ``build_sandbox``, ``write_sandbox_queries``, ``check_sandbox``
sent_prompts.py  the prompts of agents and judges as a model gets them
demo_recording.py  the demo's questions, which a language model answered and judged, played back
recordings/   what it answered, and the questions
"""
