"""How texts are built and how amounts are written in them, in one reader each.

amounts.py   money, plain numbers and dates, with what they are said to be: about, at least, a range
scores.py    ratings and numbers of ratings, in the forms that people write them beside each other
layout.py    the stretches of a report that its citations own, and the cells of its tables with their labels
"""
