"""What a judge is shown, asked and has said.

subject.py   a recorded run with all that a judge may see
session.py   the judge seam: structured answers, validated, repaired twice, journalled
question.py  one question, and how its answer is read as verdicts
verdicts.py  verdict files: append at once, the last line of a key lives, stale ones are counted
material.py  what a judge of whole reports reads: question, shopper, report, sources, picks with prices
dimensions.py the seven by which reports are rated and compared
pairs.py     which systems are compared, and in which runs they meet
readings.py  picks and values of a report: declared, else as a judge read them, else by form; kept in exp/readings
external_wording.py what judges are told of imported reports: nothing of a shop
criteria.py  what reports on a query are held to, made before any is judged
numbered.py  several things asked about in one question, each under its number
sources.py   cited pages that no run fetched, and pages as they are at judging time
passages.py  sources that are too long for a judge, cut to what matters
spending.py  what judging took, and its cap
"""
