"""What people say of recorded reports, without being told which system wrote what: votes, ratings and labels.

plan.py                which pairs, reports and claims everybody is asked about
prediction_powered.py  means from few labels and many verdicts (PPI++), and which claim is to be labelled next
judged_claims.py       the claims that labels are drawn from
items.py               the questions, with the definitions that judges get, and what a person is shown of each pair,
                       report and claim
results.py             the answers, counted
"""
