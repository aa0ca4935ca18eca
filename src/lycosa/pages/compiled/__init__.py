"""Reading documents with compiled code, where there was a C compiler when Lycosa was installed.

A page has dozens of links, and an object of Python for each element and text around them costs most of the time
that reading it takes; here only what a page says becomes objects. `trees` chooses; a test holds both to one result.
"""
