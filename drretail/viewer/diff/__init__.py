"""Two systems' answers to the same queries, side by side, with the differences in claims and picks.

answers.py      two systems' answers of an experiment, query by query
diff_output.py  the self-contained page, the same for the terminal, and as one JSON document
"""
