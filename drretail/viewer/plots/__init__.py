"""Plots as SVG: drawn the same for a page, which gives them its colours, and for a file, which has its own.

experiment_plots.py  the plots that an experiment has something to show in
dots.py              a dot with its interval for each row and series: scores, sources, calls of tools, agreement
curves.py            a line a system over settings that are numbers
stacked_bars.py      shares that add up to one: wins, ties and losses
scatter.py           two numbers of each system: quality against cost
drawing.py           an SVG image: axes, marks, words, and colours that the colour-blind tell apart
scale.py             numbers as places on a line, with round ticks
files.py             plots as SVG and PNG files
"""
