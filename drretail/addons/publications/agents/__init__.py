"""Agents of other publications.

dr3/  DR³-Agent: one loop that writes the report, and two sub-agents that it sends
"""
