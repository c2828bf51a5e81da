"""What can be wrong with a query, one file a family of checks: CODES (what each finding means) and ``check(case)``.

stock.py      what the shop offers, looked up once
shopper.py    the user's record
case.py       what a check starts from: a query, the things that its text names, the user and the shop

user.py       there is a user, with orders
names.py      products, brands, categories and things exist, and are called what they are
budget.py     real products can be bought within the budget
typed.py      the typed constraints are those of the text
need.py       the profile changes what would be chosen
tools.py      several tools and the web are needed
privacy.py    no ids, e-mail, telephone, street or name; and texts without them
wording.py    length, and the same question twice within the file
rationale.py  it does not give the answer away
dates.py      dates and prices fit the shop's today
"""
