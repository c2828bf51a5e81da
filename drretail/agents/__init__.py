"""Agents that research in the shop and on the web, and the runner that makes runs of their answers.

base.py      what an agent is
registry.py  agents by name
react.py     think → tools → … → report
opening.py   an experiment with its frozen profiles
asking.py    one question outside a benchmark
runner.py    one query, one system, one recorded run
prompts/     what the agents are told, one file a role
"""
