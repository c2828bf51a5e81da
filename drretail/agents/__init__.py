"""Agents that research in the shop and on the web, and the runner that makes runs of their answers.

base.py              what an agent is
callables.py         agents made of a plain callable, or of a LangChain Runnable
names.py             the built-in agents, by name
registry.py          agents by name, plugins and places among them
plan_to_function.py  one plan → its calls in order → report
react.py             think → tools → … → report
hybrid_react/        supervisor → researchers, each with its synthesis → report
grounded_hybrid/     the same graph, with a briefing before it and a verifier behind it
dr3/                 one loop that sends a retrieval sub-agent to the web and a reader into the user's files
baselines/           agents that research nothing, and the oracle: what a score is worth
loop.py              the loop that every role with tools goes round
context_overflow.py  what does not fit the model is written from less
tool_turn.py         how a turn's calls are carried out
prompt_blocks.py     what the prompts of all writers of reports have in common
prompt_files.py      prompts as files that a user overrides
picks.py             the cart that every report declares, and the one question for it where it is missing
memory.py            a memory of the shopper: a function that tells their records as a text
information.py       what systems without the user's tools are told of the shopper
client_prompts.py    what systems are told that bring models of their own
user_files.py        a user's own files, and what of them can be read
page_reading.py      +ws: summaries of whole pages
prompts/             what the agents are told, one file a role
external/            agents of somebody else's
running/             from a query to a recorded run, and many of them side by side
"""
