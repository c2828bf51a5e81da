"""Pure functions over records: what a text cites and demands, what a report says and how that stands to records.

text/              amounts, dates, ratings and the layout of a text, in one reader each
report/            what a report says: its declared picks, and what its form tells
verify/            values and picks held against records; a report checked as a whole (docs/checks.md)

text/              amounts and dates in texts, and which text of a report belongs to which citation
report/            picks and values of a report, by its form
verify/            values and picks held against records, and what is found wrong

evidence_ids.py    the ids of all evidence, as pure functions of their sources
products.py        the one serialisation of products, orders and customers
wording.py         money and titles as a reader sees them

citations.py       every citation of a report, resolved against a run's evidence; reads with
                   markup.py (prose, brackets, URLs), marks.py (how citations are written) and
                   reference_list.py (the entries that numbers point to)
sentences.py       its sentences, list items and table rows
render.py          the report with numbered, linked references
privacy.py         what a run sent to the web or changed; personal_data.py tells what identifies somebody

constraints.py     what a query demands, in types that code can check; put together from
                   budget.py (with amounts.py), brands.py, demands.py, quantities.py, deadlines.py
vocabulary.py      the words that these rules pass over
mentions.py        products that a query names in words

listing.py         a product with its words at hand, and whether they fulfil a demand
basket.py          the cheapest basket that keeps to the constraints, exact
best_basket.py     the one of the greatest worth, exact; what a product is worth says worth.py
basket_reference.py  both, with everything that would do: what reports on a query are measured by

profile_summary.py what the shop's records tell of a user, each statement with its orders; put together from
                   purchases.py (the orders laid out), profile_rhythm.py, profile_tastes.py, profile_prices.py,
                   profile_domains.py (familiarity, the type of shopper)
values.py          figures in a sentence, for the rule-based judge alone, with price_words.py
"""
