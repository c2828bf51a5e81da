"""Dimensions with weights and criteria that a model makes for each query, as in PDR-Bench and DeepResearch Bench.

axis.py     dimensions, weights that add up to 1, and scores matched to the words of criteria
weights.py the questions that make weights and criteria of a query, before any report is judged
prompts/    what the model is asked: what all questions share, weights, criteria of one dimension
"""
