"""What reports say, as the metrics by code use it: picks and values, who read them, how much was read.

score.py   values and picks from a judge's extraction of claims, or picks in a question of their own; the metric
prompts/   the judge's prompts
"""
