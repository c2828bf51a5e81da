"""Faithfulness: how many cited claims their sources support (paper section 3.3.1, appendix H.1).

judge.py   the stages of eval/claims in order for one report, also by pages as they are at judging time
score.py   the formulas: values per report and over all reports; the metric
prompts/   the judge's prompts
"""
