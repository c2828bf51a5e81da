"""Hybrid-ReAct (paper section 4), in functions and small classes from which its sibling agents are built too.

agent.py       the whole graph; query and intermediate reports become the report
moves.py       Reason, LaunchResearcher, Finalize
supervisor.py  reasons, launches, reads, finalizes
researcher.py  a branch for each launch: a ReAct loop over one sub-problem, then the synthesis of its findings
prompts/       what each role is told
"""
