"""What can I set, what is the default, and which values are refused?"""
