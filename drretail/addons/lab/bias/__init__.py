"""Known ways in which judges are biased, each measured on one judge with an interval.

probe.py          a probe, the reports it reads, its own questions; an effect with its interval, and the smallest that
                  would have been seen
prompts/          prompts for the probes' own questions
probes.py         all probes by name
"""
