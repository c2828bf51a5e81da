"""An experiment as pages for a browser: self-contained, nothing is loaded, nothing runs but the page's own script.

document.py      the whole report: one file, or an index and a page a question; for the live view a conversation, too
first_screen.py  a question at a glance, with what two systems pick for it; who did better over all questions
question.py      a question: its answers side by side, what they pick, how judges compared them, the runs behind them
run_search.py    every run in a row, to filter, sort and search
claims_grid.py   the claims of every report as a bar
failures.py      runs and judgements that failed, and why
run_lines.py     what tables say of a run
appendix.py      tables of all scores cut to the width of the page, the method, how to read and to repeat it
run_part.py      a run as its templates ask for it: claims, sources, steps, conversation
agent_tree.py    the agents of a run in the order of their launch
report_html.py   a report with its claims and findings marked
markdown.py      markdown as tokens whose every character knows its place in the source
links.py         where links lead: to places of the page, or to pages of the folder
notebook.py      scores, runs and reports as the cells of a notebook show them
frame.py         templates, style, script, and the policy that lets nothing else in
templates/       a template for each of these, parts that they share, style and script
"""
