"""Values and picks compared with records, whoever read them.

records.py   what figures are compared with: products, orders, calculations, a shop's policy
places.py    a typed value is a place in the text: the figure that stands there, beside the record of its source
form.py      the values that form makes certain: one source, one figure; tables, sums, quoted words
answers.py   an assistant's answers turn by turn: what each of their parts is about
findings.py  what is wrong with a report: values, sources, picks, refusals, old pages, personal data sent
checks.py    a report read and checked as a whole, the entry point
"""
