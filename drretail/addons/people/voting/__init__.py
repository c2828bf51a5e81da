"""What people are asked about recorded reports, without revealing which system wrote what.

plan.py           which pairs, reports and claims everybody is asked about
judged_claims.py  the claims that labels are drawn from
items.py          the questions, with the definitions that judges get, and what a person is shown of each pair, report
                  and claim
results.py        the answers, counted
"""
