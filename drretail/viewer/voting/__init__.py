"""What people are asked of recorded reports, without a word of which system wrote what.

plan.py      which pairs, reports and claims everybody is asked about
blind.py     texts of reports without the names of systems and models
criteria.py  the questions, with the very definitions that judges are given
items.py     what a person is shown of each pair, report and claim
claim_sheet.py  the same claims in a file, to be filled in by hand
results.py   what was said, counted
"""
