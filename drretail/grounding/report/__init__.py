"""What a report says, by its form alone (DESIGN 7a).

picks.py     the picks that a report declares, and those that its layout makes certain
names.py     by what names a report speaks of products
totals.py    amounts that are called a total or what is left, and what they may be made of
reading.py   prices, ratings, counts, dates and results of calculations beside the sources they are said of
"""
