"""Statistics, exact where possible: pure functions of numbers and labels.

clusters.py          which queries belong to one user; variances and bootstrap draws over users
intervals.py         means, shares and ratios with their intervals over users
significance.py      two systems on the same queries: sign flips over users, the sign test, Holm's correction, power
gate.py              a one-sided test that fails a build, with its false alarms and what it catches
noise.py             noise of agents and judges, pass^k
ranking.py           strengths from paired comparisons (Bradley and Terry); win rates between reports of one length
agreement.py         κ, percent, r, ρ and τ_b of two raters, α of many; how far a judge's ratings are from people's;
                     ρ inside systems
raters.py            how far every two of several people agree, as records and as a table
confusion.py         confusion tables of two raters, with bootstrap intervals over clusters
prediction_powered.py  means from few labels and many verdicts (PPI++)
"""
