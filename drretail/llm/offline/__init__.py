"""Deterministic rule-based chat models, with which the whole pipeline runs and is tested without a key.

They stand in for a model and are not a product: small, general, and marked as rules in every run and verdict. They read
the names of bound tools, the answer's schema and the tags of a prompt, but never its wording.

chat.py      a langchain chat model around a policy, and the answer if no policy applies
shopper.py   the policy of offline:shopper: the task read, notes of results, the next calls, the reports
judge.py     the policy of offline:judge: a report's claims, and whether the records that they cite confirm them
"""
