"""What a report cites and says, and how it is shown to a reader.

evidence_ids.py    the ids of all evidence, as pure functions of their sources
page.py            what a browser shows: the texts in which marks, sentences and figures are searched
marks.py           what may be a mark, by its form: one pattern, and the labels that stand in a bracket
references.py      the lists of sources in a report, and the labels of their entries
citing.py          which of it cites: what names entries of the lists, or looks like nothing else
citations.py       the scanner: every mark resolved by a run's evidence and the lists, or the reason why it is not read
picks.py           picks that are declared in a block of their own
render.py          the report with numbered, linked references
"""
