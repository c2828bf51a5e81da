"""The kinds of questions that a shopper asks, one file each: a function of a ``Case`` that gives a Draft or None.

upgrade.py    replace an owned product by a better one
project.py    a set of things around an owned product, within a total budget
replenish.py  buy again what is used up, within a budget per item
compare.py    two kinds of things for one need
gift.py       a present for somebody who shares the user's taste
season.py     what place and season ask for
case.py       what all of them start from and give
"""
