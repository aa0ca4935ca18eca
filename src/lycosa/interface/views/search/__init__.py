"""What is shown of a search?"""
