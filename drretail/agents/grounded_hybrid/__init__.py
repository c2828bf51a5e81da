"""Hybrid-ReAct, mended where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

agent.py          the whole graph
briefing.py       what is known before the research: the typed wish, the profile, what the shopper has
understanding.py  the wish, as a model types it
telling.py        what of it is told to whom
drafts.py         a draft with what a verifier without a model finds in it, and which of two is the better
repairing.py      a draft is written, and goes back with its problems
striking.py       removes statements that stayed wrong, and picks that no statement mentions any more
left_out.py       lists the removed statements, and reports a broken budget
prompts/          what the roles are told
"""
