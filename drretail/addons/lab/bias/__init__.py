"""Known ways in which judges are biased, each measured on one judge with an interval.

probe.py          a probe, the reports it reads, its own questions; an effect with its interval, and the smallest that
                  would have been seen
justification.py  whether a judge's ratings follow from the reasons that it gives
drift.py          whether a judge answers the same about a pinned set on later days
prompts/          prompts for the probes' own questions
probes.py         probes that only read verdicts: position, length, own family, use of the scale; all probes by name
"""
