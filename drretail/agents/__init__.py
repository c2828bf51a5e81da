"""Agents that research in the shop and on the web, and the runner that makes runs of their answers.

base.py              what an agent is
registry.py          agents by name
plan_to_function.py  one plan → its calls in order → report
react.py             think → tools → … → report
hybrid_react/        supervisor → researchers, each with its synthesis → report
grounded_hybrid/     the same with the shopper's profile before it, and a report that is verified, repaired and struck
baselines/           null agents, which measure what a score is worth, and the oracle: the best basket, written down
loop.py              the loop that every role with tools goes round
tool_turn.py         how a turn's calls are carried out
page_reading.py      +ws: summaries of whole pages
picks.py             the cart that every report declares, and the one question for it where it is missing
running/             one query, one system, one recorded run, and many of them
prompts/             what the agents are told, one file a role
"""
