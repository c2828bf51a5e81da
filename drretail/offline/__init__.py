"""Deterministic rule-based chat models, so that the whole pipeline runs and is tested without a key.

They stand in for a model and are no product: small, general, and marked as rules in every run and verdict. They read
the names of bound tools, the answer's schema and the tags of a prompt, never its words.

chat.py      a langchain chat model around a policy, and one turn as a policy sees it
plain.py     what it answers when no policy applies: a short sentence, a schema filled in
shopper/     the policy of offline:shopper
words.py     embeddings by the words that texts share
obedient.py  the policy of offline:obedient, which hostile texts command
judge/       the policy of offline:judge
"""
