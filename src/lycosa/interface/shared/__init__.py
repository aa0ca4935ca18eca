"""What do all interfaces need?"""
