"""How texts are read, cited, checked and rendered: pure functions over records and texts.

text/         what a text is made of: words, sentences, amounts, layout; one reader for each thing
constraints/  which products would do for a want, and what a record says of a demand
report/       what a report cites and says, and how its reader gets it
verify/       values and picks held against records
profile/      what the shop's records tell of a user
hostile/      texts that want something of an agent
basket/       the cheapest and the best basket that keep to a query
"""
