"""What people say: of reports, by votes and labels, and of queries, by reviews.

voting/      what people are asked about recorded reports
review/      the review of queries
commands.py  ``queries review``: its options; people review queries in sheets
"""
