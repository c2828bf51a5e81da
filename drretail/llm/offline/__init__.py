"""Deterministic rule-based chat models, with which the whole pipeline runs and is tested without a key.

They stand in for a model and are not a product: small, general, and marked as rules in every run and verdict. They read
the names of bound tools, the answer's schema and the tags of a prompt, but never its wording.

chat.py      a langchain chat model around a policy, and one turn as a policy sees it
plain.py     the answer if no policy applies: a short sentence, or a filled schema; embeddings by shared words
shopper/     the policy of offline:shopper
obedient.py  the policy of offline:obedient, which obeys hostile texts
judge/       the policy of offline:judge
"""
