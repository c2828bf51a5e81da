"""Agents that no model is asked for: what a score is worth shows in what these get.

null.py    no research: nothing, the query's own words, its keywords, the best sellers
search.py  the best hit for the keywords
oracle.py  the best basket that keeps to the query's wish, or to what its text states of it, without and with asking
"""
