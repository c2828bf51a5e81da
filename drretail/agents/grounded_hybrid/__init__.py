"""Hybrid-ReAct, mended where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

agent.py          the whole graph
briefing.py       what is known before the research: the typed wish, the profile, what the shopper has
understanding.py  the wish, as a model types it
telling.py        what of it is told to whom
drafts.py         a draft with what a verifier without a model finds in it, and which of two is the better
repairing.py      a draft is written, and goes back with its problems
striking.py       what stayed wrong is struck as whole statements, and picks that nothing is said of any more go
left_out.py       what was struck is listed, and a budget that does not hold is said
prompts/          what the roles are told
"""
