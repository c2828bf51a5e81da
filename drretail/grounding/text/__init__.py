"""What a text is made of: one reader for each thing.

words.py          its words, which of them carry content, their stems and singulars
sentences.py      its sentences, list items and table rows, each with its place
languages.py      what languages call months, the euro, prices and ratings (labels.toml)
amounts.py        money, plain numbers and dates, with their relation: about, at least, a range
scores.py         ratings and numbers of ratings, in the forms that people write them beside each other
arithmetic.py     what an expression comes to, with its terms, products and sums, and the sums that a text writes out
layout.py         the stretches of a report that its citations own, and the cells of its tables with their labels
wishes.py         what a query wants, in words
wording.py        money, titles, articles, plurals and lists as a reader sees them, and how long a text is
serialisation.py  products, orders and customers as agents and judges read them
harmless.py       texts of sellers and pages without what is hidden, and without ids and addresses of ours
personal_data.py  where a text names people, and the text without that
"""
