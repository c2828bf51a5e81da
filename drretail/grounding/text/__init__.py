"""How texts are built and how amounts are written in them, in one reader each.

amounts.py   money, ratings, counts, dates and plain numbers, with what they are said to be: about, at least, a range
layout.py    the stretches of a report that its citations own, and the cells of its tables with their headings
"""
