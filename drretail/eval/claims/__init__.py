"""The claims of reports, and whether their sources support them: several metrics use them, each claim judged once.

claims.py          claims, their types of sources, the unit of a support judgement
extraction.py      stage 1: all claims with sources, typed values and picks in one question; the paper's two questions
quotes.py          where a text holds the words that are quoted from it
report_index.py    the parts of a long report, and where copied sources and quotes are in it
typed_values.py    figures, names and picks as a judge types them: schema, problems, places
typed_turns.py     what each answer of a shop's assistant says, as a judge types it
support.py         stage 2: the texts of a claim's sources, how a judge is shown them, which claims share a call
labels.py          a judge's answers on claims, what is kept of them, and what the records say of their values
rulings.py         stage 3: support 1, 0.5 or 0 of claims that share a call, with quotes and reason
confirming.py      what records contradict of typed values, confirmed by the judge before it counts
audit.py           how a judge read a report, found by code: the marks and figures that its claims cover
tally.py           the verdicts of one report, counted by source type
"""
