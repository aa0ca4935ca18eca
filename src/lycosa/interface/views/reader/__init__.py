"""What is shown of a stored page?"""
