"""Known ways in which judges are biased, each measured on one judge with an interval.

probed_reports.py  the reports that a judge is probed on, with copies of half and twice their length
probe.py          what a probe is, what it looks at, and the questions it asks of its own
effects.py        an effect with its interval and the smallest that would have been seen
position.py       does the report that is read first win?
length.py         is the same report rated otherwise at half and at twice its length?
own_family.py     are systems on the judge's own family of models rated higher than others rate them?
justification.py  does what it says follow from the reasons that it gives?
drift.py          does it say of a pinned set what it said before?
scale_use.py      how much of the scale does it use, and are floors far below?
joint.py          does it rate all dimensions in one call as it does in a call each?
prompts/          the questions that probes ask of their own
probes.py         all probes by name: who asks, and what was found
"""
