"""DeepResearch-ReportEval: grades of a report, repetition inside it, and what its sources say of each sentence.

score.py  units whose pairs are compared, sentences that cite; the judge's questions; grades and means; the metric
prompts/  the judge's prompts
"""
