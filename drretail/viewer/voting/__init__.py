"""What people are asked of recorded reports, without a word of which system wrote what.

plan.py      which pairs, reports and claims everybody is asked about
criteria.py  the questions, with the very definitions that judges are given
items.py     what a person is shown of each pair, report and claim
results.py   the answers, counted
"""
