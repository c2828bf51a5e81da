"""Values and picks held against records, whoever read them (DESIGN 7a).

records.py     what they are held against: products, orders, calculations, the query's own numbers, the picks
derivation.py  what an amount may follow from: prices, their sums and multiples, the budget, calculations
offers.py      sentences on prices and availability, against what a shop offers of a product
measures.py    figures with a unit and denials in a record, and sentences that say otherwise
properties.py  what a product is made of, comes in or fits, against the fields of its record
values.py      verified, contradicted or underivable, with the words of the derivation
places.py      where a report says that the shopper lives, against the address
superlatives.py  "the cheapest", "the only one under $30", against all products of the kind that were shown
findings.py    what is wrong with a report: contradicted values, sources that do not exist, picks that should not be
page_dates.py  cited pages and days against the shop's today
privacy.py     personal data that left, and profiles changed without being asked
repetition.py  sections that say the same again
checks.py      a report read and checked as a whole: the entry point of evaluation and of agents that verify drafts
integrity.py   whether anything in a report is false or not argued for, and how far its figures are borne out
"""
