"""``drretail lab``: is the judge any good?

group.py  the group
agree.py  judges against people, and people against each other
"""
