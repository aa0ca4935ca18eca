"""Which knowledge class is a text or link about?"""
