"""Which parts can be swapped, and how is a plug-in found?"""
