"""``drretail lab``: is the judge any good?

group.py  the group
card.py   judges on claims that people labelled
agree.py  judges against people, and people against each other
"""
