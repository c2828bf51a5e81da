"""People go through queries one by one, as the paper's authors did (section 5.1): with a sheet, or in a browser.

records.py    a decision, the three questions behind it, and the log of decisions beside a file of queries
item.py       what a reviewer is shown of a query: its wish, findings, basket, the shopper
edits.py      what an edit changed of a query
form.py       what can be changed of a query, as cells of text, and the edit that filled cells make
sheet.py      a sheet to fill in, and decisions out of a filled one; the pages are in viewer/live
decisions.py  which decisions count, what is to be done with each query, and the file that comes of it
revisions.py  the history of a query file, beside it: what was put in the place of which query
disputes.py   what reviewers say of a query on which they disagree
typings.py    two typings of one wish, field by field
summary.py    the numbers of a review, agreement among them
"""
