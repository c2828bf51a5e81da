"""How good a judge is: measured by people's answers, by planted errors, by worthless reports and by known biases.

options.py             one record for each command of ``lab``
commands.py            the functions of these commands, and the judges, opened once
tables.py              findings as tables, sentences and plots
findings.py            findings that rest on people's labels, votes and ratings, or on errors, exploits and biases that
                       the lab makes
first_format.py        these files as version 1.0 wrote them
kept_findings.py       findings in EXP/lab, and the line of each beside the scores
card.py                claims that people labelled, a judge compared with these labels, and the line beside its scores
correction.py          FP, FR and win rates as people would give them
opinions.py            votes, ratings and labels by people and judges in one shape
agreement.py           how far people and judges agree, and people with each other
calibration.py         which version of a judge is nearest to people
derived_experiment.py  an experiment of reports that the lab makes from those of another one, and a good report to make
                       them from
planted_errors.py      kinds of errors, in what is bought and in figures, dates, makers, citations and advice
planting.py            copies with one error each, and how many errors checks and judges found
exploits.py            worthless reports, and how far each is from the honest ones: whether it is caught
bias/                  known ways in which judges are biased, each measured with an interval
"""
