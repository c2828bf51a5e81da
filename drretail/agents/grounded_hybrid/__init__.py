"""Hybrid-ReAct, improved where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

agent.py     the whole graph: a draft is written, and goes back with its problems
briefing.py  what is known before the research: the wish as a model types it, the profile, the shopper's products
telling.py   what each role is told of the briefing
drafts.py    a draft with the findings of a verifier that uses no model, and which of two drafts is better
striking.py  removes statements that stayed wrong, and picks that no statement mentions any more, and lists them
prompts/     what the roles are told
"""
