"""What can be wrong with a query, one file a family of checks: CODES (what each finding means) and ``check(case)``.

stock.py      what the shop offers, looked up once
shopper.py    the user's record
case.py       what a check starts from: a query, the things that its text names, the user and the shop

names.py      the user, products, brands, categories, orders, tools and purchases that are named exist
budget.py     real products can be bought within the budget, and it is the text's
privacy.py    no ids, e-mail, telephone, street or name; and texts without them
dates.py      dates fit the shop's today
wording.py    the same question twice within the file
contract.py   what is asked of a query's writer beyond that
"""
