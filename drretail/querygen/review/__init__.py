"""People go through queries one by one, as the paper's authors did (section 5.1): in a terminal, or with a sheet.

records.py       a decision, the three questions behind it, and the log of decisions beside a file of queries
item.py          what a reviewer is shown of a query: findings, basket, the shopper
draft.py         a query as an editor opens it, changed, checked again, and kept or dropped
session.py       one reviewer asked, query by query
sheet.py         a sheet to fill in, and decisions out of a filled one
decisions.py     which decisions count, what is to be done with each query, and the file that comes of it
adjudication.py  one person asked about what reviewers disagree on
summary.py       the numbers of a review, agreement among them
"""
