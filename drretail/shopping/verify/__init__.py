"""Values and picks compared with records, whoever read them.

records.py   what figures are compared with: products, orders, calculations, a shop's policy
bounds.py    what a figure says of a record's number by its bound: about, at most, at least
places.py    a typed value is a place in the text: the figure that stands there, beside the record of its source
parts.py     what each part of a text is about: in a report by marks, in an assistant's answers by names
written.py   sums, results of calculations and quoted words, decided whoever reads the rest
form.py      the values that form makes certain: one source, one figure; tables by plain heads
findings.py  what is wrong with a report: values, sources, picks, refusals, old pages, personal data sent
checks.py    a report read and checked as a whole, the entry point
"""
