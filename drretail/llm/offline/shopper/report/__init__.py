"""The report of offline:shopper, in the order of its sections.

compose.py   which sections there are
naming.py    short names of products, citations, dates, prices as written
answer.py    title and short answer
person.py    what the shopper's record says that bears on the choice
picks.py     one section a need: the pick, its facts, the runner-up
silence.py   what records do not say, and where that was looked for
standing.py  where a pick stands among all that match
tradeoff.py  the runner-up, and what is given up either way
sayings.py   sentences of web pages that can stand alone
advice.py    what the web says, and what the shopper asked beside
disagreement.py  where two pages contradict each other
table.py     the picks side by side, and the sum
weighed.py   what else was weighed, in a report on several researchers' findings
gaps.py      what could not be found out
"""
