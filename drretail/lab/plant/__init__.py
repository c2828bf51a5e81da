"""Known errors, one in each copy of a good report: who finds them?

good_report.py       a report with all that an error is made from, and the error that was made
wrong_values.py      kinds of errors in figures, dates and makers, by arithmetic on the records
wrong_picks.py       kinds of errors in what is bought, by the wish and records
wrong_statements.py  kinds of errors in what is cited and stated, by records and templates
copies.py            all kinds by name, and an experiment of copies, own or given, beside their reports
recall.py            how many of them checks and judges found, by place
"""
