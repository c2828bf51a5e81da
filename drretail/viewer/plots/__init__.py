"""Plots as SVG: drawn the same for a page, which gives them its colours, and for a file, which has its own.

experiment_plots.py  the plots that an experiment has something to show in
charts.py            dots with intervals, scattered points, stacked bars, curves
drawing.py           an SVG image: axes, marks, words, and colours that the colour-blind tell apart; files of both kinds
scale.py             numbers as places on a line, with round ticks
"""
