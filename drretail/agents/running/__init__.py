"""Agents at work: one run, many runs, and what they took.

system.py       a system under test: an agent with its models, options, limits and the user's files; systems that
                conditions make
identity.py     what an agent of the user's own consists of: hashes of its files and of what it holds
runner.py       one query, one system, one recorded run; the turns before a run
graph.py        ``graph``: an agent's compiled graph, bound to a world and models
run.py          ``run_systems``: an experiment's folder opened, and many runs side by side into it; floors and
                the oracle in their own process
shard.py        one machine's part of the queries, and a few of them to begin with
outcomes.py     how runs ended, and when failing tool calls end the whole command
estimate.py     what the remaining runs are likely to take
client_runs.py  runs of systems that call the tools over MCP
"""
