# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""How deep the elements of a page lie in each other, compiled: what `hostile_markup.plain_nesting` says, much faster."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memchr, memcmp, memmove

cdef enum:
    CLOSES_ITSELF = 1
    FORMATTING = 2
    FENCE = 4
    DRAWING = 8
    INLINE = 16

cdef enum:
    NO_NUMBER = -1
    FURTHEST_ELEMENT = 16
    FURTHEST_FORMAT = 64

cdef unsigned char is_space[256]
cdef unsigned char is_letter[256]
cdef unsigned char is_word[256]
for code in range(256):
    is_space[code] = code == 32 or 9 <= code <= 13
    is_letter[code] = 65 <= code <= 90 or 97 <= code <= 122
    is_word[code] = is_letter[code] or 48 <= code <= 57 or code == 95


cdef struct Nest:
    int *opened
    int *formats
    Py_ssize_t depth
    Py_ssize_t format_depth
    Py_ssize_t deepest
    Py_ssize_t most_formats


cdef bint is_raw_text(const unsigned char *name, Py_ssize_t left) noexcept:
    """Whether a tag begins a script or a style sheet."""
    cdef unsigned char start[6]
    cdef int place, length
    if left < 5 or name[0] | 32 != c"s":
        return False
    for place in range(min(left, 6)):
        start[place] = name[place] | 32
    length = 5 if memcmp(start, b"style", 5) == 0 else 6 if left >= 6 and memcmp(start, b"script", 6) == 0 else 0
    return length and (left == length or not is_word[name[length]])


cdef Py_ssize_t end_of_comment(bytes html, Py_ssize_t at) except -1:
    cdef Py_ssize_t end = html.find(b"-->", at)
    return len(html) if end < 0 else end


cdef Py_ssize_t end_of_raw_text(const unsigned char *text, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Where a script or style ends, or something that begins like its end tag."""
    cdef const unsigned char *found
    while True:
        found = <const unsigned char *> memchr(text + at, c"<", size - at)
        if found == NULL or found - text + 2 >= size:
            return size
        at = found - text + 1
        if text[at] == c"/" and (text[at + 1] | 32) == c"s":
            return at - 1


cdef Py_ssize_t end_of_tag(const unsigned char *text, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Where a tag's `>` is, which counts only outside of quoted values, or the end of the text."""
    cdef const unsigned char *closing
    cdef Py_ssize_t value
    while at < size and text[at] != c">":
        at += 1
        if text[at - 1] != c"=":
            continue
        value = at
        while value < size and is_space[text[value]]:
            value += 1
        if value < size and (text[value] == c'"' or text[value] == c"'"):
            closing = <const unsigned char *> memchr(text + value + 1, text[value], size - value - 1)
            if closing != NULL:
                at = closing - text + 1
    return at


cdef void end_format(Nest *nest, int number) noexcept:
    cdef Py_ssize_t place, last = nest.format_depth - FURTHEST_FORMAT
    for place in range(nest.format_depth - 1, max(last, 0) - 1, -1):
        if nest.formats[place] == number:
            nest.format_depth -= 1
            memmove(nest.formats + place, nest.formats + place + 1, (nest.format_depth - place) * sizeof(int))
            return
        if nest.formats[place] == NO_NUMBER:
            return


cdef void end_element(Nest *nest, int number, const unsigned char *kinds, int known) noexcept:
    cdef Py_ssize_t place, last = nest.depth - FURTHEST_ELEMENT
    cdef int above
    for place in range(nest.depth - 1, max(last, 0) - 1, -1):
        above = nest.opened[place]
        if above == number:
            nest.depth = place
            if number < known and kinds[number] & FENCE:
                while nest.format_depth:
                    nest.format_depth -= 1
                    if nest.formats[nest.format_depth] == NO_NUMBER:
                        return
            return
        if above >= known or not kinds[above] & INLINE:
            return


cdef void start_element(Nest *nest, int number, int kind) noexcept:
    if kind & FORMATTING:
        nest.formats[nest.format_depth] = number
        nest.format_depth += 1
        nest.most_formats = max(nest.most_formats, nest.format_depth)
    else:
        nest.opened[nest.depth] = number
        nest.depth += 1
        if kind & FENCE:
            nest.formats[nest.format_depth] = NO_NUMBER
            nest.format_depth += 1
    nest.deepest = max(nest.deepest, nest.depth + nest.format_depth)


def nesting(bytes html, Py_ssize_t most_tags, dict numbers, bytes kinds):
    """Where the tags become too many, and the largest number of open elements and open formatting elements.

    `numbers` gives each element that is special a number, which is its place in `kinds`; the first is `svg`.
    """
    cdef Nest nest
    cdef Py_ssize_t room = (min(most_tags, len(html)) + 1) * sizeof(int), cut
    nest.depth = nest.format_depth = nest.deepest = nest.most_formats = 0
    nest.opened = <int *> PyMem_Malloc(room)
    nest.formats = <int *> PyMem_Malloc(room)
    try:
        if nest.opened == NULL or nest.formats == NULL:
            raise MemoryError
        cut = read(html, most_tags, dict(numbers), kinds, &nest)
        return cut, nest.deepest, nest.most_formats
    finally:
        PyMem_Free(nest.opened)
        PyMem_Free(nest.formats)


cdef int number_of(bytes name, dict numbers) except -1:
    """The number of an element, a new one if it is not special."""
    cdef object number = numbers.get(name)
    if number is None:
        number = numbers.setdefault(name.lower(), len(numbers))
        numbers[name] = number
    return number


cdef Py_ssize_t read(bytes html, Py_ssize_t most_tags, dict numbers, bytes kinds, Nest *nest) except -1:
    cdef const unsigned char *text = html
    cdef const unsigned char *kind_of = kinds
    cdef const unsigned char *opening
    cdef Py_ssize_t size = len(html), at = 0, name = 0, tags
    cdef int number, known = len(kinds), kind
    cdef bint drawing = False, ending = False
    for tags in range(most_tags + 1):
        while True:
            opening = <const unsigned char *> memchr(text + at, c"<", size - at)
            if opening == NULL:
                return size
            at = opening - text + 1
            if size - at >= 3 and memcmp(text + at, b"!--", 3) == 0:
                break
            ending = at < size and text[at] == c"/"
            name = at + ending
            if name < size and is_letter[text[name]]:
                break
        if tags == most_tags:
            return opening - text
        if text[at] == c"!":
            at = end_of_comment(html, at + 3)
            continue
        if not ending and is_raw_text(text + at, size - at):
            at = end_of_raw_text(text, at, size)
            continue
        at = name
        while at < size and not is_space[text[at]] and text[at] != c"/" and text[at] != c">":
            at += 1
        number = number_of(html[name:at], numbers)
        kind = kind_of[number] if number < known else 0
        at = end_of_tag(text, at, size)
        if kind & CLOSES_ITSELF:
            drawing = drawing and ending
        elif not ending:
            drawing = kind & DRAWING and (drawing or number == 0)
            if not (drawing and text[at - 1] == c"/"):
                start_element(nest, number, kind)
        elif kind & FORMATTING:
            end_format(nest, number)
        else:
            end_element(nest, number, kind_of, known)
    return size
