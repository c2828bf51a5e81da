"""Queries from real histories, as the paper describes them (section 3.2, App. A.4), here without any model.

knowledge/   what shoppers say about kinds of products, their projects and choices; knowledge.py reads it
needs.py     kinds of need and their wordings, from knowledge/needs/ and knowledge/sayings.toml
phrases.py   short noun phrases for what a listing sells
things.py    the kind of thing that a title or a category names
occasions.py when something was bought, and seasons
history.py   what a user's record tells, each with its order ids
shelf.py     what the shop offers of a kind of thing, and budgets that it can meet
speech.py    how shoppers put budgets, and how sentences make a text
drafts/      from history, shelf and need to a text with its types
generate.py  users → drafts → queries
by_model/    queries written by a language model
users.py     users that are named or drawn, and what ids call them
reading.py   queries back from their file
shipped.py   the fifty queries in benchmark/ that come with the package

asked.py     the things that a text asks for, and those that it says are had
checks/      what can be wrong with a query, one file a family of checks
references.py  the cheapest and the best basket of a query, which its reports are measured by
lint.py      all checks of all queries of a file
mending.py   other queries in the place of those in which something was found
revisions.py the history of a query file, beside it
review/      people go through the queries of a file
comparison.py  generic against profile-aware queries
"""
