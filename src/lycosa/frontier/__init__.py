"""Which link is fetched next, and which is refused?"""
