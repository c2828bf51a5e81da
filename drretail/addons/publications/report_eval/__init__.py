"""DeepResearch-ReportEval: grades of a report, repetition inside it, and what its sources say of each sentence.

units.py   sections or paragraphs whose pairs are compared, by two cuts; the sentences that cite something
judge.py   one question for all grades, one for each pair of units, one for each sentence and source
score.py   grades, the mean over pairs, the mean over labels; the metric
prompts/   the judge's prompts
"""
