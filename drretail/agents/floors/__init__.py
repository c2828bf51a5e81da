"""Agents that research nothing: what a score is worth shows in what these get (docs/floors.md).

empty.py        an empty report
copied.py       the query, word for word
keywords.py     the query's words that tell something
bestsellers.py  what sells best where the shop keeps what the query speaks of
"""
