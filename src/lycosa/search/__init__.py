"""How is a page found again?"""
