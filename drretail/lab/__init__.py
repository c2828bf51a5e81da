"""Is the judge any good? What people, known errors and known biases say of it.

finding.py            what every finding of the lab is
people_findings.py    the findings by people's labels, votes and ratings
trial_findings.py     the findings by errors, exploits, biases and questions of its own
kept_findings.py      findings in EXP/lab, and the line of each beside the scores
labelled_claims.py    claims that people labelled, out of public sets and CSV, and a judge's verdicts on them
card.py               a judge beside people's labels, and the line beside its scores
judged_claims.py      the claims that labels are drawn from
correction.py         FP, FR and win rates as people would give them
opinions.py           votes, ratings and labels by people and judges in one shape
agreement.py          how far people and judges agree, and people with each other
calibration.py        which version of a judge is nearest to people
derived_experiment.py an experiment of reports that the lab makes out of another one's
plant/                known errors in copies of good reports, and who finds them
exploits/             reports that deserve nothing, and which metric falls for them
bias/                 known ways in which judges are biased, each measured with an interval
"""
