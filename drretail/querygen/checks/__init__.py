"""What can be wrong with a query, one file a family of checks: CODES (what each finding
means, and what to do about it) and ``check(case)``.

stock.py      what the shop offers, looked up once, and the user's record
case.py       what a check starts from: a query, its wants with what the shop has of them, and the user

names.py      there is a wish; the user, kinds, products, brands, orders and tools that are named exist
agreement.py  text and wish say the same, and past dates are those of orders
feasibility.py the shop can meet the wish, or the query says that it can't and has a proof
privacy.py    no ids, e-mail, telephone, street or name; and texts without them
wording.py    the same question twice within the file
contract.py   what is asked of models and rules that write, beyond that
"""
