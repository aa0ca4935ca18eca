"""How is markup read in C? The same as `pages.html`, where there was a C compiler when Lycosa was installed.

A page has dozens of links, and a Python object for each element and text around them costs most of the time
that reading it takes; here only what a page says becomes objects. `parsed_document` chooses; a test holds both to
one result.
"""
