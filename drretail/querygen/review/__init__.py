"""People go through queries one by one, as the paper's authors did (section 5.1): in a terminal, or with a sheet.

records.py    a decision, the three questions behind it, and the log of decisions beside a file of queries
draft.py      a query as an editor opens it, and two texts set against each other
dossier.py    what a reviewer is shown of a query: findings, basket, the shopper
page.py       that as lines of text
editing.py    a query changed, checked again, and kept or dropped; what that needs of a terminal
session.py    one reviewer asked, query by query
settling.py   one person asked about what reviewers disagree on
sheet.py      a sheet to fill in, as spreadsheets take it and give it back
filled.py     decisions out of a filled sheet

living.py     which decisions are about the queries as they stand
outcome.py    what is to be done with each query
applying.py   the reviewed queries
agreement.py  how far two reviewers agree
standing.py   the numbers of a review
"""
