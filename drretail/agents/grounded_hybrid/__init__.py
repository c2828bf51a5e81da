"""Hybrid-ReAct, improved where the paper says that it fails (sections 6.1 and 6.2, Appendix G).

agent.py     the whole agent: a draft is written, and goes back with its problems
briefing.py  what is known before the research, and what each role is told of it: the wish, the profile, the shopper's
             products
drafts.py    a draft with the findings of a verifier that uses no model, which of two is better, and statements struck
             that stayed wrong
prompts/     what the roles are told
"""
