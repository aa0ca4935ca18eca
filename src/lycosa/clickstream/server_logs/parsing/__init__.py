"""How are log lines read?"""
