"""What comes into an experiment from elsewhere, and what is taken out of it.

imports.py  import_reports: reports of other products and benchmarks, as an experiment
forget.py   forget: an experiment without one user or conversation
"""
