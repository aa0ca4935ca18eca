"""Who came, and for how long did they stay?"""
