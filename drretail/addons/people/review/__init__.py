"""People review queries one by one, as the paper's authors did (section 5.1): with a sheet, or in a browser.

records.py    a decision with the three answers behind it, a revision, and the logs of both beside a file of queries
item.py       what a reviewer sees of a query: its wish, findings, basket and shopper
edits.py      what an edit changed in a query, and what reviewers who disagree say of it
form.py       a query and a decision on it as cells of text, and the review or edit that filled cells make
sheet.py      writes a sheet to fill in, and reads decisions from a filled one; the pages are in viewer/live
decisions.py  which decisions count, what becomes of each query, and the reviewed file
summary.py    the statistics of a review, agreement included
"""
