"""What an assistant says of a shop's products and orders, turn by turn, compared with the shop's records.

shop_records.py        the records that answers are compared with
turns.py               each answer by rules: what it is about, and its statements, joined by those that a model typed
product_statements.py  what a sentence says of one product: its price, stock and fields, beside its record
typed.py               what a model typed of an answer, beside the record
"""
