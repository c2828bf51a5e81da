"""The claims of reports, and whether their sources support them: several metrics use them, each claim judged once.

claims.py        claims, their types of sources; stage 2: the texts of a claim's sources, which claims share a call
extraction.py    stage 1: all claims with sources, typed values and picks in one question; the paper's two questions
report_index.py  the parts of a long report, and where copied sources and quoted words are in a text
typed_values.py  figures and names as a judge types them, confirmed before they count as false
read_picks.py    picks that a judge reads in a report that declares none
turns.py         values that a judge types of each answer of a shop's assistant
rulings.py       stage 3: support 1, 0.5 or 0 of claims that share a call; what is kept of a judge's answer
audit.py         how a judge read a report, found by code; the verdicts of one report, counted by source type
"""
