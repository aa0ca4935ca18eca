"""Who links to whom, and who ranks highest?"""
