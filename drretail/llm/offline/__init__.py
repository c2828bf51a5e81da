"""Deterministic rule-based chat models, so that the whole pipeline runs and is tested without a key.

chat.py      a langchain chat model around a policy: a pure function of messages and bound tools
turn.py      one turn: messages, tools, and which of them may be called
plain.py     what it answers when no policy applies: a short sentence, a schema filled in
shopper/     the policy of offline:shopper
judge/       the policy of offline:judge
"""
