"""What a text consists of: one reader for each thing.

words.py          its words, stems and singulars; months, prices, ratings in many languages (labels.toml, cldr.toml)
amounts.py        money, plain numbers and dates, with their relation: about, at least, a range
numerals.py       every numeral with its unit, the value of an expression, sums that a text writes out
wording.py        money, titles and lists as a reader sees them
product_names.py  which products it names by their titles, and where
evidence_ids.py   the ids of all evidence, as pure functions of their sources
quotes.py         where words that were copied from it stand in it
serialisation.py  products, orders and customers as agents and judges read them
untrusted.py      texts from outside made safe for a prompt: nothing hidden, no tag or id of ours
personal_data.py  where a text names people or has anybody's numbers and addresses, and texts as they are read for it
"""
