"""What a text consists of: one reader for each thing.

words.py          its words, which of them carry content, their stems and singulars
sentences.py      its sentences, list items and table rows, each with its place
languages.py      names of months, the euro, prices and ratings in many languages (labels.toml, answers.toml)
amounts.py        money, plain numbers and dates, with their relation: about, at least, a range
numerals.py       every numeral, whatever it counts, with its unit
scores.py         ratings and numbers of ratings, in the forms in which people write them
arithmetic.py     the value of an expression, with its terms, products and sums, and the sums that a text writes out
titles.py         the products that a text names by their titles
layout.py         the stretches of a report that its citations own, and the cells of its tables with their labels
wording.py        money, titles, articles, lists and wishes as a reader sees them, and the length of a text
serialisation.py  products, orders and customers as agents and judges read them
untrusted.py      texts from outside made safe for a prompt: nothing hidden, no tag that ends the block around them
harmless.py       sellers' texts and pages without hidden text, and without our ids and addresses
personal_data.py  where a text names people, and the text without that
redaction.py      rows and texts without personal data, a word in its place
"""
