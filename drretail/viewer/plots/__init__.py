"""Plots as SVG. The drawing is the same on a page, which gives it colours, and in a file, which has its own.

experiment_plots.py  the plots that an experiment has data for, and their files
drawing.py           dots with intervals, bars, points with their names
"""
