"""Agents that research in the shop and on the web, and the runner that makes recorded runs of their answers.

base.py              what an agent is
answers.py           what an agent returned, read and checked
callables.py         agents made of a plain callable, or of a LangChain Runnable
names.py             the names and places of the built-in agents
registry.py          loads agents by name, plugins, commands and addresses among them
plan_to_function.py  one plan → its calls in order → report
react.py             think → tools → … → report
hybrid_react/        supervisor → researchers, each with its synthesis → report
grounded_hybrid/     the same graph, with a briefing before it and a verifier behind it
baselines.py         agents that research nothing, and the oracles: floors and ceilings of scores
loop.py              the loop of every role with tools; findings that do not fit the model are left out
tool_turn.py         how a turn's calls are carried out
prompt_blocks.py     the parts that the prompts of all writers of reports share
prompt_files.py      prompts as files that a user overrides
picks.py             the cart that every report declares, and the one question for a missing one
information.py       what systems without the user's tools, or with their own models, are told of the shopper
user_files.py        a user's own files, and what of them can be read
page_reading.py      +ws: summaries of whole pages
prompts/             what the agents are told, one file a role
external/            agents that are commands or HTTP addresses
running/             from a query to a recorded run, and many runs side by side
"""
