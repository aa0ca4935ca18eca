# The elements of a document in its order, sorted by what they are for, and the texts in them: as `elements` has them.

cdef struct Element:
    Node node
    int up
    int kind


cdef struct Numbers:
    int *at
    int count, room


cdef int _append(Numbers *numbers, int number) except -1:
    if numbers.count == numbers.room:
        numbers.room = 2 * numbers.room + 64
        grown = <int *> realloc(numbers.at, numbers.room * sizeof(int))
        if grown == NULL:
            raise MemoryError
        numbers.at = grown
    numbers.at[numbers.count] = number
    numbers.count += 1
    return 0


cdef enum How:  # what becomes of the pieces of a text
    AS_IT_IS
    STRIPPED
    SPACED  # stripped, with a space between them, and without those that are blank


cdef int AS_WRITTEN = LexborDocumentOptions.WO_EVENTS.value
cdef Py_ssize_t ALL_OF_IT = 1 << 62
cdef int LOOKED_AT = 16
"""Bytes that are read of a long text, as a multiple of the characters that are kept of it."""


cdef class Elements:
    """The elements of a document, each list in its order, after noise was taken out and breaks were made spaces."""

    cdef readonly bytes structure
    cdef readonly object said
    cdef Node root, document
    cdef Element *elements
    cdef int count, room
    cdef Numbers sorted[ALL_SORTS]
    cdef Numbers anchors_before
    cdef unsigned char *buffer
    cdef Py_ssize_t filled, size

    def __cinit__(self, bytes html, bint structure=False):
        self._parse(html)
        self._walk()
        self.structure = self._outline() if structure else b""
        self._clear()

    cdef int _parse(self, bytes html) except -1:
        """A document of its own for every page: one that is filled again does not forget all of the page before."""
        cdef const unsigned char *text = html
        cdef size_t size = len(html)
        cdef unsigned int status
        self.document = new_document()
        if self.document == NULL:
            raise MemoryError
        set_options(self.document, AS_WRITTEN)
        set_scripting(self.document, True)
        with nogil:
            status = parse_document(self.document, text, size)
        self.root = first_child(self.document)
        while self.root != NULL and type_of(self.root) != ELEMENT:
            self.root = next_sibling(self.root)
        if status or self.root == NULL:
            raise MemoryError
        return 0

    def __dealloc__(self):
        if self.document != NULL:
            end_document(self.document)
        free(self.elements)
        free(self.buffer)
        free(self.anchors_before.at)
        for sort in range(ALL_SORTS):
            free(self.sorted[sort].at)

    cdef int _walk(self) except -1:
        """Sort all elements, in the order of the document."""
        cdef Node node = self.root, child
        cdef int above = -1
        while True:
            if type_of(node) == ELEMENT:
                self._take(node, above)
                child = first_child(node)
                if child != NULL:
                    above = self.count - 1
                    node = child
                    continue
            while node != self.root and next_sibling(node) == NULL:
                node = parent_of(node)
                above = self.elements[above].up
            if node == self.root:
                break
            node = next_sibling(node)
        return 0

    cdef bytes _outline(self):
        """The skeleton of the document: what `outline` makes, of elements that are at hand."""
        cdef int at, number, depth, left_out = 0, deepest = DEEPEST_ELEMENT, too_deep = TOO_DEEP
        cdef Numbers below = Numbers(NULL, 0, 0)
        foreign, tags, depths = ForeignNames(), bytearray(), bytearray()
        try:
            for at in range(self.count):
                number = number_of[self.elements[at].kind]
                if number < 0 or at == 0:
                    number = foreign.number(_name(self.elements[at].node))
                depth = 1 if at == 0 else below.at[self.elements[at].up]
                _append(&below, depth + 1 if number and depth <= deepest else too_deep)
                if number and depth > deepest:
                    left_out += 1
                elif number:
                    tags.append(number)
                    depths.append(depth)
        finally:
            free(below.at)
        return skeleton_of(tags, depths, foreign, left_out).to_bytes()

    cdef int _take(self, Node node, int above) except -1:
        if self.count == self.room:
            self.room = 2 * self.room + 256
            grown = <Element *> realloc(self.elements, self.room * sizeof(Element))
            if grown == NULL:
                raise MemoryError
            self.elements = grown
        cdef int kind = _kind(node), sort = sort_of[kind]
        self.elements[self.count] = Element(node, above, kind)
        if sort:
            _append(&self.sorted[sort], self.count)
            if sort == HEADINGS:
                _append(&self.anchors_before, self.sorted[ANCHORS].count)
        self.count += 1
        return 0

    cdef int _clear(self) except -1:
        """Take noise out, make line breaks spaces, and read what the document says of itself."""
        cdef int place
        cdef Node node, blank
        for place in range(self.sorted[NOISE].count):
            take_out(self._node(NOISE, place))
        for place in range(min(self.sorted[BREAKS].count, <int> MOST_BREAKS)):
            node = self._node(BREAKS, place)
            blank = new_text(self.document, <const unsigned char *> " ", 1)
            if blank == NULL:
                raise MemoryError
            put_before(node, blank)
            take_out(node)
        self.said = Said(
            self._attributes_of(METAS, self.count), self._attributes_of(RELATIONS, MOST_RELATIONS),
            self._attributes_of(BASES, 1), self._attributes_of(TIMES, 1), self._title(),
            _attribute(self.root, LANG) or "",
        )
        return 0

    cdef inline Node _node(self, int sort, int place) noexcept:
        return self.elements[self.sorted[sort].at[place]].node

    cdef list _attributes_of(self, int sort, int most):
        return [_attributes(self._node(sort, place)) for place in range(min(self.sorted[sort].count, most))]

    cdef str _title(self):
        cdef int place, kind
        cdef Node above
        for place in range(min(self.sorted[TITLES].count, <int> MOST_TITLES)):
            above = parent_of(self._node(TITLES, place))
            if above != NULL:
                kind = _kind(above)
                if kind == HEAD or kind == BODY or kind == HTML:
                    return self._text(self._node(TITLES, place), STRIPPED)
        return ""

    cdef int _add(self, const unsigned char *text, Py_ssize_t size) except -1:
        if self.filled + size > self.size:
            self.size = 2 * (self.filled + size) + 1024
            grown = <unsigned char *> realloc(self.buffer, self.size)
            if grown == NULL:
                raise MemoryError
            self.buffer = grown
        memcpy(self.buffer + self.filled, text, size)
        self.filled += size
        return 0

    cdef int _add_piece(self, Node node, How how, bint *follows) except -1:
        """Add the words of a text node as `_gather` does; that one has it in its loop, since every link pays for it."""
        cdef Words *words = words_of(node)
        cdef const unsigned char *text = words.text
        cdef Py_ssize_t size = words.size
        if text == NULL or (how == SPACED and _only_white(text, size)):
            return 0
        if how != AS_IT_IS:
            _strip(&text, &size)
        if how == SPACED and follows[0]:
            self._add(<const unsigned char *> " ", 1)
        follows[0] = True
        self._add(text, size)
        return 0

    cdef int _gather(self, Node top, How how, Py_ssize_t most=ALL_OF_IT) except -1:
        """Put the text of an element into the buffer.

        Of long texts no more is read than so many bytes and the piece that they end in.
        """
        cdef Node node = first_child(top)
        cdef const unsigned char *text
        cdef Py_ssize_t size
        cdef Words *words
        cdef bint follows = False
        self.filled = 0
        while node != NULL and self.filled <= most:
            if type_of(node) == TEXT:
                words = words_of(node)
                text, size = words.text, words.size
                if text != NULL and not (how == SPACED and _only_white(text, size)):
                    if how != AS_IT_IS:
                        _strip(&text, &size)
                    if how == SPACED and follows:
                        self._add(<const unsigned char *> " ", 1)
                    follows = True
                    self._add(text, size)
            elif first_child(node) != NULL:
                node = first_child(node)
                continue
            while node != top and next_sibling(node) == NULL:
                node = parent_of(node)
            node = NULL if node == top else next_sibling(node)
        return 0

    cdef str _text(self, Node node, How how):
        self._gather(node, how)
        return _decoded(self.buffer, self.filled) if self.filled else ""

    cdef str _shortened(self, Node node, int longest, int looked_at):
        """The beginning of the text of an element that has no blocks inside."""
        self._gather(node, AS_IT_IS)
        return _short(self.buffer, self.filled, longest, looked_at)

    cdef Py_ssize_t _anchor(self, Node node) except -1:
        """Put the words of an anchor into the buffer, folded and cut; returns how many characters they are."""
        self._gather(node, SPACED, LONGEST_ANCHOR * LOOKED_AT)
        cdef Py_ssize_t length = _characters(self.buffer, self.filled)
        if self.filled and length <= LONGEST_ANCHOR and not _needs_folding(self.buffer, self.filled):
            return length
        found = _decoded(self.buffer, self.filled) if self.filled else ""
        found = folded(found[: LONGEST_ANCHOR * 4])[:LONGEST_ANCHOR] or self._described(node)
        cdef bytes written = found.encode("utf-8", "replace")
        self.filled = 0
        self._add(written, len(written))
        return len(found)

    cdef str _described(self, Node top):
        """What an anchor without words is called: by its first image that has a description, else by its attributes."""
        cdef Node node = first_child(top)
        cdef int left = MOST_INSIDE - 1
        text = ""
        while node != NULL and left:
            if type_of(node) != TEXT:
                left -= 1
                if _kind(node) == IMAGE:
                    image = _attributes(node)
                    if "alt" in image:
                        text = image["alt"]
                        break
                if first_child(node) != NULL:
                    node = first_child(node)
                    continue
            while node != top and next_sibling(node) == NULL:
                node = parent_of(node)
            node = NULL if node == top else next_sibling(node)
        own = _attributes(top)
        text = text or own.get("alt") or own.get("aria-label") or own.get("title") or ""
        return shortened(text, LONGEST_ANCHOR, LONGEST_ANCHOR * 4)
