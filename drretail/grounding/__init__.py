"""How texts are read, cited, checked and rendered: pure functions over records and texts.

text/         words, sentences, amounts, layout: one reader for each
constraints/  which products suit a want, and what a record says of a demand
report/       what a report cites and says, and how it is shown to a reader
verify/       values and picks compared with records
profile/      what the shop's records show of a user
hostile/      texts that try to make an agent do something
basket/       the cheapest and the best basket that satisfy a query
"""
