"""Hybrid-ReAct, mended where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

briefing.py    what is known before the research: typed constraints and the profile, told to every researcher
agent.py       the whole graph
drafts.py      a draft with what a verifier without a model finds in it, which of two is the better, and how it ends
repairing.py   a draft goes back with its problems
prompts/       what the roles are told beside what they are told in hybrid_react
"""
