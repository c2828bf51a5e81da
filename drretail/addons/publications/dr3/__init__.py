"""DR³-Eval's metrics: recall of insights, cited documents, accuracy of claims, instructions followed, depth.

citations.py  citation coverage by our reading and the released code's, and factual accuracy: claims and sources, pair
              by pair
opinions.py   by a model: the known insights that a report contains, the query's requirements, depth by a rubric
score.py      gold from its files, the criteria of a query, all questions about one report, its values and their
              averages; the metric
prompts/      the judge's prompts
"""
