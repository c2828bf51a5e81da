"""What a report says, by its form alone (DESIGN 7a).

picks.py     the picks that a report declares, and those that its layout makes certain
reading.py   prices, ratings, counts, dates and results of calculations beside the sources they are said of
"""
