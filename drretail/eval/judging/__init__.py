"""What a judge is shown, what it is asked, and its verdicts.

subject.py     a recorded run with all that a judge may see; which systems are compared, and in which runs they meet
session.py     questions to a judge: structured answers, validated, repaired at most twice, journalled
question.py    one question, how its answer becomes verdicts, and their files: append only, the last line of a key
               counts
dimensions.py  the seven dimensions of rating and comparing reports; prompts without a shop (external_wording.toml)
prompts/       their criteria under the paper's rules
criteria.py    a query's criteria for reports, made before any report is judged; several items asked about in one
               question
sources.py     cited pages that no run fetched, pages as they are at judging time, and long sources cut to what matters
spending.py    the cost of judging, and its limit
"""
