"""How good a judge is: measured by people's answers.

options.py        one record for each command of ``lab``
commands.py       the functions of these commands
tables.py         findings as tables and sentences
findings.py       findings that rest on people's labels, votes and ratings
card.py           claims that people labelled, and a judge compared with them; findings in EXP/lab
correction.py     FP and win rates as people would give them
opinions.py       votes, ratings and labels by people and judges in one shape
raters.py         how raters order systems, confusion tables, α of many, with intervals
agreement.py      how far people and judges agree, and people with each other
"""
