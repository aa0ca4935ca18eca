# Texts as the parser has them: bytes of UTF-8, which become Python's when it is clear what is wanted of them.

cdef inline bint _is_white(unsigned char byte) noexcept:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef inline int _white_at(const unsigned char *text, Py_ssize_t left) noexcept:
    """How many bytes of white space, as Python has it, a text begins with: one character of it or none."""
    if left and _is_white(text[0]):
        return 1
    if left > 1 and text[0] == 0xC2 and (text[1] == 0x85 or text[1] == 0xA0):
        return 2
    if left > 2 and 0xE1 <= text[0] <= 0xE3:
        if text[0] == 0xE1:
            return 3 if text[1] == 0x9A and text[2] == 0x80 else 0
        if text[0] == 0xE3:
            return 3 if text[1] == 0x80 and text[2] == 0x80 else 0
        if text[1] == 0x80 and (0x80 <= text[2] <= 0x8A or text[2] == 0xA8 or text[2] == 0xA9 or text[2] == 0xAF):
            return 3
        return 3 if text[1] == 0x81 and text[2] == 0x9F else 0
    return 0


cdef inline void _strip(const unsigned char **text, Py_ssize_t *size) noexcept:
    cdef int width = _white_at(text[0], size[0])
    while width:
        text[0] += width
        size[0] -= width
        width = _white_at(text[0], size[0])
    while size[0]:
        if _is_white(text[0][size[0] - 1]):
            size[0] -= 1
        elif size[0] > 1 and _white_at(text[0] + size[0] - 2, 2) == 2:
            size[0] -= 2
        elif size[0] > 2 and _white_at(text[0] + size[0] - 3, 3) == 3:
            size[0] -= 3
        else:
            return


cdef inline bint _only_white(const unsigned char *text, Py_ssize_t size) noexcept:
    """Whether a text is nothing but white space, as HTML has it."""
    cdef Py_ssize_t place
    for place in range(size):
        if text[place] not in (32, 9, 10, 12, 13):
            return False
    return True


cdef inline bint _needs_folding(const unsigned char *text, Py_ssize_t size) noexcept:
    """Whether a text has white space other than single spaces; all bytes are looked at, so that many are at once."""
    cdef Py_ssize_t place
    cdef unsigned char found = text[0] == 10 or text[0] == 9
    for place in range(1, size):
        found |= (text[place] == 10) | (text[place] == 9) | (
            ((text[place] == 32) & (text[place - 1] == 32)) | ((text[place] == 0xA0) & (text[place - 1] == 0xC2))
        )
    return found


cdef inline str _decoded(const unsigned char *text, Py_ssize_t size):
    return PyUnicode_DecodeUTF8(<const char *> text, size, "replace") if text != NULL else ""


cdef inline int _kind(Node node) noexcept:
    """The parser's number for the name of an element or attribute, or 0 for a name that it does not know."""
    cdef uintptr_t tag = tag_of(node)
    return <int> tag if tag < KINDS else 0


cdef str _short(const unsigned char *text, Py_ssize_t size, int longest, int looked_at):
    """What `shortened` makes of a text; most need no folding."""
    if not size:
        return ""
    found = _decoded(text, size)
    if _needs_folding(text, size):
        return shortened(found, longest, looked_at)
    return found[:looked_at].strip()[:longest] if len(found) > longest else found.strip()


cdef inline void _take_attribute(Node node, int wanted, const unsigned char **text, Py_ssize_t *size) noexcept:
    """Where the value of an attribute is; NULL where there is none."""
    cdef Node attribute = first_attribute(node)
    cdef size_t length = strlen(ATTRIBUTES[wanted]), found = 0
    cdef const unsigned char *name
    text[0], size[0] = NULL, 0
    while attribute != NULL:
        if _kind(attribute) == attribute_kinds[wanted]:
            name = attribute_name(attribute, &found)
            if found == length and memcmp(name, ATTRIBUTES[wanted], length) == 0:  # and not, say, xlink:href
                text[0] = attribute_value(attribute, &found)
                size[0] = found if text[0] != NULL else 0
                return
        attribute = next_attribute(attribute)


cdef inline object _attribute(Node node, int wanted):
    """The value of an attribute; None where it has none."""
    cdef const unsigned char *text
    cdef Py_ssize_t size
    _take_attribute(node, wanted, &text, &size)
    return None if text == NULL else _decoded(text, size)


cdef dict _attributes(Node node):
    cdef Node attribute = first_attribute(node)
    cdef const unsigned char *text
    cdef size_t size = 0
    found = {}
    while attribute != NULL:
        text = attribute_name(attribute, &size)
        name = _decoded(text, size)
        text = attribute_value(attribute, &size)
        found[name] = None if text == NULL else _decoded(text, size)
        attribute = next_attribute(attribute)
    return found


cdef inline str _name(Node node):
    cdef size_t size = 0
    cdef const unsigned char *text = element_name(node, &size)
    return _decoded(text, size)


cdef struct Line:
    Py_ssize_t begin, size, length


cdef class Lines:
    """Short texts, each known by its place, that become one text with a line each; one that is put anew is replaced."""

    cdef unsigned char *bytes
    cdef Py_ssize_t filled, size
    cdef Line *lines
    cdef int count, room
    cdef bint in_order

    def __cinit__(self):
        self.in_order = True

    def __dealloc__(self):
        free(self.bytes)
        free(self.lines)

    cdef int put(self, int place, const unsigned char *text, Py_ssize_t size, Py_ssize_t length) except -1:
        if self.filled + size + 1 > self.size:
            self.size = 2 * (self.filled + size) + 4096
            grown = <unsigned char *> realloc(self.bytes, self.size)
            if grown == NULL:
                raise MemoryError
            self.bytes = grown
        if place >= self.room:
            self.room = 2 * place + 64
            more = <Line *> realloc(self.lines, self.room * sizeof(Line))
            if more == NULL:
                raise MemoryError
            self.lines = more
        self.in_order = self.in_order and place == self.count
        self.count = max(self.count, place + 1)
        self.lines[place] = Line(self.filled, size, length)
        memcpy(self.bytes + self.filled, text, size)
        self.bytes[self.filled + size] = 10
        self.filled += size + 1
        return 0

    cdef str text(self):
        cdef int place
        if not self.count:
            return ""
        if self.in_order:
            return _decoded(self.bytes, self.filled - 1)
        return "\n".join([_decoded(self.bytes + self.lines[place].begin, self.lines[place].size)
                          for place in range(self.count)])


cdef inline Py_ssize_t _characters(const unsigned char *text, Py_ssize_t size) noexcept:
    """How many characters bytes are."""
    cdef Py_ssize_t place, found = 0
    for place in range(size):
        found += (text[place] & 0xC0) != 0x80
    return found
