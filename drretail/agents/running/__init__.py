"""Agents at work: one run, many runs, and what they took.

system.py           a system under test: an agent with its models, options and limits
code.py             the identity of an agent's code
varied.py           the systems that values of conditions make
runner.py           one query, one system, one recorded run
new_experiment.py   an experiment's folder, opened with what is frozen in it; one question outside a benchmark
run.py              ``run``: many runs into one folder
batch.py            many runs, side by side
shard.py            one machine's part of the queries, and a few of them to begin with
outages.py          when failing tool calls end the whole command
outcomes.py         how runs ended
spending.py         what runs took, and the caps that end them
estimate.py         what the remaining runs are likely to take
apart.py            floors and the oracle, in a process of their own
client_runs.py      runs of systems that call the tools over MCP
speakers.py         who speaks as the shopper: a model, or a person
"""
