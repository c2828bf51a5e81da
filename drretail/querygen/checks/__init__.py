"""What can be wrong with a query.

Each file is a family of checks with CODES (what each finding means, and what to do about it) and ``check(case)``.

case.py          what checks start from: the shop's offers, the user's record, and a query with its wants
names.py         the query has a wish; the user, kinds, products and brands that it names exist
agreement.py     text and wish agree in amounts, numbers and names
feasibility.py   the shop can meet the wish, or the query says that it can't and has a proof
sources.py      the places that limits rest on say so
privacy.py       no ids, e-mail addresses, telephone numbers, streets or names
wording.py       no question twice within the file
contract.py      further demands on models that write queries
"""
