"""Where is everything kept, and what survives a crash?"""
