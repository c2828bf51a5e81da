"""Which tables an experiment has, as records of ``drretail.tables``.

result.py      who did better over all questions, in a sentence
scoreboard.py  one row a system, in words
scores.py      a row for each system, a column for each variant
slices.py      the same over parts of the queries
pairs.py       wins, ties and losses of every pair, and strengths
false_statements.py  what imported answers say and their sources contradict
ablations.py   what another setting of one option brings, what distractors cost, pairs of twins
agreement.py   how far judges agree
"""
