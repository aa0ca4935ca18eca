"""What runs in the pages of a watched site?"""
