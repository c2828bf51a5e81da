"""How good a judge is: measured by people's answers, by planted errors, by worthless reports and by known biases.

options.py            one record for each command of ``lab``
commands/             the functions of these commands
tables.py             findings as tables and sentences
finding.py            the base of every finding of the lab
people_findings.py    findings that rest on people's labels, votes and ratings
trial_findings.py     findings that rest on errors, exploits, biases and questions that the lab makes itself
kept_findings.py      findings in EXP/lab, and the line of each beside the scores
pictures.py           findings as plots
labelled_claims.py    claims that people labelled, from public sets and CSV, and a judge's verdicts on them
card.py               a judge compared with people's labels, and the line beside its scores
correction.py         FP, FR and win rates as people would give them
opinions.py           votes, ratings and labels by people and judges in one shape
agreement.py          how far people and judges agree, and people with each other
calibration.py        which version of a judge is nearest to people
derived_experiment.py an experiment of reports that the lab makes from those of another one
plant/                known errors in copies of good reports, and who finds them
exploits/             worthless reports, and which metrics they deceive
bias/                 known ways in which judges are biased, each measured with an interval
"""
