"""An experiment in a terminal: what can be said at 80 columns, and what is printed line by line.

text_report.py         an experiment as one plain text
printed_board.py       the scoreboard
printed_scores.py      scores
printed_pairs.py       pairs and agreement
printed_all_pairs.py   all pairs of systems, a line each
printed_comparison.py  a comparison
printed_measures.py    correlations and counterfactual measures
printed_calibration.py versions of a judge beside people
printed_card.py        a judge beside people's labels
printed_correction.py  scores as people would give them
printed_agreement.py   people and judges, every two of them
printed_memory.py      what a model knows by heart
printed_trials.py      planted errors that were found, reports that deserve nothing
printed_bias.py        how a judge is biased
"""
