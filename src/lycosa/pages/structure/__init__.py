"""How is a page built, whatever it says?"""
