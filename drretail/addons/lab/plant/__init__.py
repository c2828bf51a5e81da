"""Known errors, one in each copy of a good report, and who finds them.

good_report.py       a report with everything that an error is made from, and the copy with the error
wrong_picks.py       kinds of errors in what is bought, made from the wish and records
wrong_statements.py  kinds of errors in figures, dates, makers, citations and advice, from records and templates
copies.py            all kinds by name, and an experiment of copies, made here or given, beside their originals
recall.py            how many errors checks and judges found, each at its place
"""
