"""Values and picks compared with records, whoever read them.

records.py         what they are compared with: products, orders, calculations, the query's own numbers, the picks
derivation.py      how an amount may follow: from prices, their sums and multiples, the budget, calculations
looked_at.py       all numerals beside citations, and those that stand with their unit in a cited record
answers/           what an assistant's answers say turn by turn, of which product or order, compared with the records
fields.py          figures with a unit, and properties by name, compared with the fields and measures of a record
comparisons.py     "costs more than", "half of your $35", compared with the figures of both sides
other_readings.py  what a figure that a record seems to deny may be instead, by all that its sentence cites
values.py          verified, contradicted or underivable, with the words of the derivation
places.py          where a report says that the shopper lives, compared with the address
superlatives.py    "the cheapest", "the only one under $30", compared with all products of the kind that were shown
findings.py        what is wrong with a report: contradicted values, unknown sources, wrong picks
refusals.py        whether a run holds the evidence of the reasons for which it refuses
page_dates.py      cited pages and days compared with the shop's current date
privacy.py         personal data that was sent, and profiles that were changed unasked
checks.py          a report read and checked as a whole: the entry point of evaluation and of agents that verify drafts
integrity.py       whether anything in a report is false or not argued for, and how well its figures are supported
"""
