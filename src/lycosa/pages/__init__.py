"""What does a document say, and where does it point?"""
