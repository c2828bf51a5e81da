"""Pure functions over records: what a text cites, names and demands, and how a product is written down.

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
mentions.py        products that a report names in words

constraints.py     what a query demands, in types that code can check; put together from
                   budget.py (with amounts.py), brands.py, demands.py, quantities.py, deadlines.py
vocabulary.py      the words that these rules pass over

listing.py         a product with its words at hand, and whether they fulfil a demand
basket.py          the cheapest basket that keeps to the constraints, exact
best_basket.py     the one of the greatest worth, exact; what a product is worth says worth.py
basket_reference.py  both, with everything that would do: what reports on a query are measured by

profile_summary.py what the shop's records tell of a user, each statement with its orders; put together from
                   purchases.py (the orders laid out), profile_rhythm.py, profile_tastes.py, profile_prices.py,
                   profile_domains.py (familiarity, the type of shopper)
values.py          money, ratings, rating counts, dates and ids in a sentence, and how they stand to a true number
facts.py           claims settled against records without a judge; reads amounts with price_words.py
several_facts.py   claims that attach values to several products
calculated_facts.py  claims about sums and a user's mean order
settled.py         what settles a claim, and how words and records are read for it

checks.py          all checks of a report, by code (docs/checks.md), over a case.py; put together from
                   structure.py (sections, statements, pieces), attached.py (which value is said of which product),
                   wrong_values.py, cited_sources.py, recommendations.py, totals.py, sums.py, table_sums.py,
                   constraints_kept.py, privacy.py, repetition.py
"""
