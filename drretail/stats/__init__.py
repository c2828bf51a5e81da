"""Statistics, exact where possible: pure functions of numbers and labels.

intervals.py     the queries of one user; means, shares and ratios with intervals over users
significance.py  two systems on the same queries: tests, Holm, queries needed; a test that fails a build
ranking.py       strengths from paired comparisons (Bradley and Terry); win rates between reports of one length
agreement.py     κ, percent, r, ρ and τ_b of two raters
"""
