"""Statistics, exact where that is possible: pure functions over numbers and labels.

clusters.py          which queries are of one user; variances and draws over users
intervals.py         means, shares and ratios with their intervals over users
paired.py            two systems on the same queries
significance.py      flips of users' signs, the sign test, and Holm's correction
power.py             what an experiment of a size can show
noise.py             noise of agents and judges, pass^k
ranking.py           strengths from comparisons of two at a time (Bradley and Terry)
length_control.py    wins between reports of one length
agreement.py         κ, percent, r, ρ and τ_b of two raters, α of many; how far a judge's ratings are from people's
confusion.py         tables of two raters' labels, drawn again by clusters
prediction_powered.py  means from few labels and many verdicts (PPI++)
rank_correlation.py  Spearman's ρ inside systems
"""
