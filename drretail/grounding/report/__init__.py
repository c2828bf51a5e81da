"""What a report cites and says, and how it is shown to a reader.

evidence_ids.py    the ids of all evidence, as pure functions of their sources
markup.py          which parts and which HTML are shown, which of these are prose, and where brackets and URLs end
reference_list.py  the entries that numbers, names and footnotes refer to
marks.py           citations in brackets, links and addresses, and in other forms, recognised by the report's own list
citations.py       every citation, resolved by a run's evidence
picks.py           picks that are declared in a block of their own, and those that calculations and layout make certain
statements.py      measures, the status of orders, the user's state and home beside a mark; all numerals beside marks
reading.py         the form reader: values, picks, and how much was read
render.py          the report with numbered, linked references
"""
