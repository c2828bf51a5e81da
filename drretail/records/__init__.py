"""What crosses a folder: frozen records, written to disk as JSON with ``"format": 1``.

base.py        Record and Document, canonical JSON and its hash, which ids a shop may have, and file names made of texts
               that others chose
figures.py     numbers as text, one function for each kind
account.py     what came into a stage and what became of it; the one place that praises
trajectory.py  the steps of a run
shop.py        an amount with its currency; products with what they are offered for, orders, users, statistics; what the
               record shows of a user, in statements
wish.py        what a question wants bought
query.py       queries with their wishes, the baskets that would answer them
evidence.py    what a run has seen, citations of it, findings about it, and what the parts of a multi-agent system hand
               on of it
reading.py     picks and values read out of a report, and how they stand to the records; what it decides; how a judge
               read
criteria.py    what reports on a query are held to, what is known beforehand of good ones, and what is decided about
               products
run.py         systems and their places in tables, steps, answers, runs and what went wrong in them
models.py      how models are asked for
score.py       verdicts, scores, and the scoreboard of them
vote.py        what people say of reports: votes, ratings, labels of claims, and the plan of what they are asked
comparison.py  what a comparison of two systems comes to, by values of each or by judging them side by side
"""
