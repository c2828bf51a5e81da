"""Hybrid-ReAct (paper section 4), in functions and small classes from which its sibling agents are built too.

agent.py  the moves, the researcher with its synthesis, the supervisor, and the whole agent
prompts/  what each role is told
"""
