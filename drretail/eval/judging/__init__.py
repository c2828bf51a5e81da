"""What a judge is shown, what it is asked, and its verdicts.

subject.py   a recorded run with all that a judge may see
session.py   questions to a judge: structured answers, validated, repaired at most twice, journalled
question.py  one question, and how its answer becomes verdicts
verdicts.py  verdict files: append only, the last line of a key counts, stale ones are counted
material.py  what a judge of whole reports reads: question, shopper, report, sources, picks with prices
dimensions.py the seven dimensions of rating and comparing reports, with
prompts/     their criteria under the paper's rules
pairs.py     which systems are compared, and in which runs they meet
readings.py  picks and values of a report: declared, read by a judge, or read by form; kept in exp/readings
external_wording.py prompts for imported reports, without a shop (phrases: external_wording.toml)
criteria.py  a query's criteria for reports, made before any report is judged
numbered.py  several items asked about in one question, each under its number
sources.py   cited pages that no run fetched, and pages as they are at judging time
passages.py  sources that are too long for a judge, cut to what matters
spending.py  the cost of judging, and its limit
"""
