"""Is the judge any good? What people, known errors and known biases say of it.

finding.py        what every finding of the lab is
people_findings.py what it finds out by people's labels, votes and ratings
trial_findings.py what it finds out by errors, exploits, biases and questions of its own
kept_findings.py  the same in EXP/lab, and the line of each beside the scores
labelled_claims.py  claims that people labelled, out of public sets and CSV
label_verdicts.py   what a judge says of them, asked as faithfulness asks
card.py           a judge beside people's labels, and the line beside its scores
judged_claims.py  what labels are drawn from, and stand for
labelled_sheets.py  what people filled in of these
correcting.py     FP, FR and win rates as people would give them
opinions.py       what people and judges said of the same things, in one shape
opinion_files.py  the same out of CSV
agreeing.py       do judges say what people say, and people what each other say?
memory/           what a model knows of a shop by heart
plant/            known errors in copies of good reports, and who finds them
exploits/         reports that deserve nothing, and which metric falls for them
bias/             known ways in which judges are biased, each measured with an interval
made_experiment.py  an experiment of reports that the lab makes out of another one's
calibrating.py    which version of a judge is nearest to people?
failing.py        what low ratings are about, by system, and by people's word
"""
