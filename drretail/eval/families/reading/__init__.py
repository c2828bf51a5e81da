"""What reports say, as evaluation without a judge takes it: picks and values, who read them, how much was read.

judge.py   a judge's reading: values and picks from its extraction of claims, else picks in a question of their own
score.py   how many picks a judge reads where none are declared
prompts/   what the judge is asked
"""
