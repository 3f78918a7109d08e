"""What methods receive and return: method, status, history, solution, files.

Knows fitted networks and what can be said about them. Must not know any method by name.
"""
