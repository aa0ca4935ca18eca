# Where in a document something stands: the path to it, the block around it, and whether that is the page's frame.

cdef int DEEPEST = plain_places.DEEPEST, LONGEST_PATH = plain_places.LONGEST_PATH
cdef int LONGEST_HINT = plain_places.LONGEST_HINT, LONGEST_BOUNDARY = plain_stretches.LONGEST_BOUNDARY
cdef int LONGEST_REMEMBERED = plain_places.LONGEST_REMEMBERED
cdef int MOST_PLACES = 8192
cdef object hint_at_frame = plain_places.hint_at_frame


cdef class Place:
    """What the content of an element has in common with that of its siblings of the same kind."""

    cdef str path, link_path
    cdef int depth, block
    cdef bint framing, in_content, bounded
    cdef dict inside


cdef class Block:
    """A stretch of text that belongs together, and how much of it is links."""

    cdef Node node
    cdef int at, flags
    cdef bint framing, long
    cdef Py_ssize_t anchors, length
    cdef str read
    cdef dict stretches


cdef Place _outside():
    cdef Place place = Place.__new__(Place)
    place.path, place.link_path, place.inside = "", "a", {}
    return place


cdef Place _top = _outside()
cdef int _places = 0


cdef Place _place(Place above, Node node, int kind, bint framing):
    """The place inside an element; pages of a site are built alike, so most have been met on an earlier page."""
    global _places
    cdef int flags = flags_of[kind]
    name = None if flags & NAMED else _name(node)
    key = kind * 2 + framing if name is None else (name, framing)
    cdef Place place = above.inside.get(key)
    if place is not None:
        return place
    name = _name(node) if name is None else name
    cdef bint own = flags & OWN_BOUNDARY != 0, section = flags & SECTION != 0
    place = Place.__new__(Place)
    place.path = above.path if above.depth >= LONGEST_PATH - 1 else f"{above.path}/{name}" if above.path else name
    place.link_path = place.path + "/a"
    place.depth = above.depth + 1
    place.block = flags if own or section or (flags & BLOCK and not above.bounded) else 0
    place.framing = framing
    place.in_content = above.in_content or flags & CONTENT != 0
    place.bounded = own or (above.bounded and not section)
    place.inside = {}
    if _places < MOST_PLACES and len(above.path) + len(name) <= LONGEST_REMEMBERED:
        above.inside[key] = place
        _places += 1
    return place
