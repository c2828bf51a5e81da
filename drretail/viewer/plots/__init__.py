"""Plots as SVG. The drawing is the same on a page, which gives it colours, and in a file, which has its own.

experiment_plots.py  the plots that an experiment has data for
charts.py            dots with intervals, scattered points, stacked bars, curves
drawing.py           an SVG image: axes, round ticks, marks, texts, colours that the colour-blind tell apart; files
"""
