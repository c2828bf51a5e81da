"""What reports say, as evaluation without a judge takes it: picks and values, who read them, how much was read.

score.py   values and picks from a judge's extraction of claims, else picks in a question of their own; the family
prompts/   what the judge is asked
"""
