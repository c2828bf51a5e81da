"""Known ways in which judges are biased, each measured on one judge with an interval.

probed_reports.py  the reports that a judge is probed on, with copies of half and twice their length
probe.py          what a probe is, what it looks at, and the questions it asks of its own
effects.py        an effect with its interval and the smallest that would have been seen
justification.py  does what it says follow from the reasons that it gives?
drift.py          does it say of a pinned set what it said before?
verdict_probes.py  what verdicts alone show: position, length, own family, use of the scale
prompts/          the questions that probes ask of their own
probes.py         all probes by name: who asks, and what was found
"""
