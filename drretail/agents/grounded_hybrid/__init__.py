"""Hybrid-ReAct, mended where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

agent.py       the whole graph
briefing.py  what is known before the research: typed constraints and the profile, told to every researcher
drafts.py      a draft with what a verifier without a model finds in it, and which of two is the better
repairing.py   a draft goes back with its problems
finishing.py   what stayed wrong is struck and listed; a budget that does not hold is said
prompts/       what the roles are told beside what they are told in hybrid_react
"""
