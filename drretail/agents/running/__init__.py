"""From queries and systems to recorded runs.

system.py           a system under test: an agent with its models, web and limits
new_experiment.py   an experiment opened: what is asked is written down, profiles are frozen
runner.py           one query, one system, one recorded run
batch.py            many runs side by side
shard.py            the part of an experiment that one machine runs
outcomes.py         what became of runs
spending.py         what they took
estimate.py         what they are likely to take
single_question.py  one question outside a benchmark
"""
