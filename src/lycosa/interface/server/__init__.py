"""How are pages and API served?"""
