"""What offline:shopper reads in the English of a question, by rules whose misses are preferred to their mistakes.

question.py  one question with all that is read in it
asked.py     the things asked for, those that are owned, those that are ruled out
budget.py    the budget
brands.py    brands that are wanted or ruled out
demands.py   what products must be or must not have
scope.py     of which thing a demand is said
deadline.py  until when it has to arrive

Nobody else imports these rules: what a query wants is typed where the query is made (``Query.wish``).
"""
