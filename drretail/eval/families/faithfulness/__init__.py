"""Faithfulness: how much of what a report cites is borne out by its sources (paper section 3.3.1, appendix H.1).

judge.py   the stages of eval/claims in order for one report, also by pages as they are at judging time
score.py   the formulas: values per report, and over all reports; these as a metric family
prompts/   what the judge is asked
"""
