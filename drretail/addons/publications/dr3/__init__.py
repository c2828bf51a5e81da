"""DR³-Eval's metrics: recall of insights, cited documents, accuracy of claims, instructions followed, depth.

gold_files.py     what good answers are known to contain, copied from its files
coverage.py       citation coverage: required documents that are cited, by our reading and the released code's
accuracy.py       factual accuracy: claims and the sources each cites, pair by pair
opinions.py       by a model: the known insights that a report contains, the query's requirements, depth by a rubric
judge.py          all of these for one report, and the criteria of a query
parts.py          verdicts as the parts of a score
score.py          a report's values and their averages; the metric
prompts/          the judge's prompts
"""
