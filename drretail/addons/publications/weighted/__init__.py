"""Dimensions with weights and criteria that a model makes for each query, as in PDR-Bench and DeepResearch Bench.

axis.py     dimensions, weights that add up to 1, scores matched to the words of criteria, and the questions that make
            weights and criteria of a query
prompts/    what the model is asked: the part that all questions share, weights, criteria of one dimension
"""
