"""Two systems' answers to the same queries, side by side, with what changed in what they claim and pick.

answers.py    an experiment's answers of two systems, query by query
diff_html.py  the self-contained page
diff_text.py  the same for the terminal, and as one JSON document
"""
