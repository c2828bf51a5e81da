"""Queries from real histories, as the paper describes them (section 3.2, App. A.4), here without any model.

knowledge/   what shoppers say about kinds of products, their projects and choices; knowledge.py reads it
phrases.py   short noun phrases for what a listing sells
things.py    the kind of thing that a title or a category names
occasions.py when something was bought, and seasons
history.py   what a user's record tells, each with its order ids
shelf.py     what the shop offers of a kind of thing, and budgets that it can meet
speech.py    how shoppers put demands and budgets
drafts/      one file a draft kind, each a function of history and shelf
generate.py  users → drafts → queries
reading.py   queries back from their file
"""
