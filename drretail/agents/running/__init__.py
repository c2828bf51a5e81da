"""Agents at work: one run, many runs, and what they took.

system.py           an agent with its models, options and limits: what a run is of
runner.py           one query, one system, one recorded run
new_experiment.py   an experiment's folder, opened with what is frozen in it
run.py              ``run``: many runs into one folder
batch.py            these, side by side
shard.py            one machine's part of the queries, and the few to begin with
outages.py          when failing tool calls end the whole command
outcomes.py         what became of runs
spending.py         what they took, and the caps that end them
estimate.py         what those that are left are likely to take
client_runs.py      runs of systems that call the tools over MCP
speakers.py         who speaks as the shopper: a model, or a person
single_question.py  one question outside a benchmark
"""
