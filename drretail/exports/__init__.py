"""An experiment in the forms that other programs read.

inspect_log.py      logs of inspect_ai, one a system
inspect_samples.py  runs as their samples: messages, events, usage, errors
inspect_scores.py   what judges said as their scores, and what their metrics make of it
"""
