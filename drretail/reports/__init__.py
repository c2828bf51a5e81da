"""What a report says and cites, and how it is shown to a reader, as pure functions over texts.

text/              words, amounts, ids, records as texts: one reader for each
page.py            what a browser shows, in which marks, sentences and figures are searched; and what a line is
marks.py           what has the shape of a mark, read or only counted: one pattern
references.py      the lists of sources in a report, the labels of their entries, and the styles that are not read
citations.py       the scanner: every mark resolved by a run's evidence and the lists, or the reason why it is not read
layout.py          its sentences, items and table rows, the stretches that citations own, cells with their labels
picks.py           picks that are declared in a block of their own
render.py          the report with numbered, linked references
"""
