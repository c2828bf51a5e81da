"""How an agent that types its own wish understood the question, beside the query's wish, without a model.

two_wishes.py  which of its wants are the query's, and which limits are equal
score.py       one verdict and value for each measure; the family
"""
