"""Dimensions with weights and criteria that a model makes for each query, as in PDR-Bench and DeepResearch Bench.

axis.py     dimensions that are weighed against each other, as a family's file describes them
shares.py   weights that have to add up to 1: checked, set right, summed with
weighing.py the questions that make weights and criteria of a query, before any report is judged
matching.py scores that a judge gave by the words of criteria, found again in these
prompts/    what the model is asked: what all questions share, weights, criteria of one dimension
"""
