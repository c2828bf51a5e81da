"""What can be wrong with a query, one file a family of checks: CODES (what each finding means) and ``check(case)``.

stock.py      what the shop offers, looked up once
shopper.py    the user's record
case.py       what a check starts from: a query, its wants with what the shop has of them, and the user

names.py      there is a wish; the user, kinds, products, brands, orders and tools that are named exist
budget.py     real products can be bought at the prices that are set, and these are the text's
privacy.py    no ids, e-mail, telephone, street or name; and texts without them
dates.py      dates fit the shop's today
wording.py    the same question twice within the file
contract.py   what is asked of a query's writer beyond that
"""
