"""DR³-Eval's metrics: recall of insights, cited documents, accuracy of claims, instructions followed, depth.

gold_files.py     what is known beforehand of good answers, taken from where it lies
insights.py       information recall: what is known beforehand of a good answer, found in the report or not
coverage.py       citation coverage: required documents that are cited, by our reading and the released code's
accuracy.py       factual accuracy: claims and the sources each cites, pair by pair
checklist.py      instruction following: what the query asks for, by code and by a model, and whether it is done
depth.py          depth quality: a rubric of the query's own, and a rating by it
judge.py          all of these for one report, and the criteria of a query
parts.py          what verdicts come to: the parts of a score
score.py          the values of a report, their averages; these as a metric family
prompts/          what the judge is asked
"""
