"""Known errors, one in each copy of a good report: who finds them?

good_report.py       a report with all that an error is made from, and the error that was made
wrong_values.py      kinds of errors in figures, dates and makers, by arithmetic on the records
wrong_picks.py       kinds of errors in what is bought, by the wish and records
wrong_statements.py  kinds of errors in what is cited and told, by records and templates
kinds.py             all kinds by name
given.py             copies that somebody else made
copies.py            an experiment of the copies beside the reports they were made from
recall.py            what checks and judges found of them, by place
"""
