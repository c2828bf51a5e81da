"""Values and picks compared with records, whoever read them.

records.py             what figures are compared with: products, orders, calculations; how an amount may follow from
                       them
product_statements.py  what a sentence says of one product, beside its record; the records themselves
typed.py               what a model typed of an answer, beside the record
turns.py               an assistant's answers turn by turn: what each is about, and its statements, by rules and as
                       typed
fields.py              figures with a unit, and properties by name, compared with the fields and measures of a record
comparisons.py         "costs more than" by the figures of both sides, "the cheapest" by all products of the kind
values.py              verified, contradicted or underivable, in which words; what a denied figure may be instead
findings.py            what is wrong with a report: values, sources, picks, refusals, old pages, personal data sent
checks.py              a report read and checked as a whole, the entry point; whether anything is false or not argued
                       for
"""
