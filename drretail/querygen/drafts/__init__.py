"""From a history and a need to a query's text and types.

case.py       what every draft starts from, and what it gives
choosing.py   which purchase and which things a need is about, by its shape
extras.py     budget, demands, ratings, brands, amounts and dates that the shop can meet
said.py       noun phrases and persons in the slots of a template
composing.py  the text
"""
