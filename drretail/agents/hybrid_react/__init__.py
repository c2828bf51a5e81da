"""Hybrid-ReAct (paper section 4): each part a function or small class, so that siblings are made of the same parts.

agent.py       the whole graph
supervisor.py  reasons, launches, reads, finalizes
launcher.py        a branch for each launch: research, then synthesis
researcher.py  a ReAct loop over one sub-problem
synthesis.py   findings become an intermediate report
reporting.py   query and intermediate reports become the report
moves.py       Reason, LaunchResearcher, Finalize
prompts/       what each role is told
"""
