"""When is a page fetched again, and has it changed?"""
