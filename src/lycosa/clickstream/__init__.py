"""What do people do with pages?"""
