"""``drretail import``, in a folder of its own: "import" is no name that a file of Python may have.

import_reports.py  reads a format, writes an experiment
printed.py   what came into it, as tables and as JSON
"""
