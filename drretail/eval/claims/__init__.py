"""Claims of reports and whether their sources bear them out: what several families ask for, each claim once.

claims.py          claims, their types of sources, what a judgement of support is about
extraction.py      stage 1: all claims with sources and typed values in one question; the paper's two questions
sections.py        the parts of a long report, which are asked apart
copied_sources.py  sources and quotes as a judge copies them, found again in the report
typed_values.py    figures and names as a judge types them: schema, problems, places
support.py         stage 2: the texts of a claim's sources, and how a judge is shown them
shown_products.py  the products that the run was shown, for superlatives
rulings.py         stage 3: support 1, 0.5 or 0 of claims that share their sources, with quotes and reason
tally.py           the verdicts of one report, counted by source type
"""
