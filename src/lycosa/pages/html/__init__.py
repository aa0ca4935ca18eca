"""How are links and main text read from markup, in Python?"""
