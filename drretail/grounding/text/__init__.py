"""What a text is made of: one reader for each thing.

words.py    its words, which of them carry content, and their stems
amounts.py  amounts of money, counts and other figures, and dates
scores.py   ratings and numbers of ratings
layout.py   the stretches that citations own, sentences, and cells of tables
"""
