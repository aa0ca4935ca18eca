"""How relevant is a page?"""
