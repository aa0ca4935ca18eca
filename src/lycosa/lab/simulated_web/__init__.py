"""A web computed from a seed: what is on it, and what is true?"""
