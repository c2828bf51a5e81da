"""Agents that research in the shop and on the web, and the runner that makes runs of their answers.

base.py              what an agent is
registry.py          agents by name
plan_to_function.py  one plan → its calls in order → report
react.py             think → tools → … → report
hybrid_react/        supervisor → researchers, each with its synthesis → report
floors/              agents that research nothing, and so measure what a score is worth
oracle/              the ceiling: the best basket, written down
listed.py            a product as one cited line
loop.py              the loop that every role with tools goes round
tool_hands.py        how a turn's calls are carried out
page_reading.py      +ws: summaries of whole pages
sut.py        a system with all that is needed to run it
opening.py           an experiment with its frozen profiles
asking.py            one question outside a benchmark
runner.py            one query, one system, one recorded run
batch.py             many runs side by side
tally.py             what became of them
prompts/             what the agents are told, one file a role
"""
