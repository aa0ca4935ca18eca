# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""What `text` does letter by letter, compiled."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 largest)
    unsigned char *letters_in "PyUnicode_DATA" (object text)

cdef unsigned short letter_of[256]
for code in range(256):
    letter_of[code] = (code + 32 if 65 <= code <= 90 else code) | (code != 32 and not 9 <= code <= 13) << 8


def letters_of(str text):
    """A text in lower case without its white space.

    A table has each byte in lower case, and above it whether it stays: a wrong guess at a branch would cost more.
    """
    cdef bytes data = (text if text.isascii() else text.lower()).encode("utf-8", "replace")
    cdef Py_ssize_t size = len(data), place, kept = 0
    cdef const unsigned char *source = data
    cdef bytes letters = PyBytes_FromStringAndSize(NULL, size)
    cdef unsigned char *target = <unsigned char *> PyBytes_AS_STRING(letters)
    cdef unsigned short letter
    for place in range(size):
        letter = letter_of[source[place]]
        target[kept] = <unsigned char> letter
        kept += letter >> 8
    return letters[:kept]


def lower_of(str text):
    """A text in lower case; of plain ones many letters are looked at at once."""
    cdef Py_ssize_t size = len(text), place
    if not text.isascii():
        return text.lower()
    cdef str lower = PyUnicode_New(size, 127)
    cdef const unsigned char *source = letters_in(text)
    cdef unsigned char *target = letters_in(lower)
    cdef unsigned char letter
    for place in range(size):
        letter = source[place]
        target[place] = letter | (<unsigned char> (<unsigned char> (letter - 65) < 26) << 5)
    return lower


def occurrences(bytes data, bytes byte):
    """How often a byte occurs."""
    cdef const unsigned char *text = data
    cdef unsigned char wanted = <unsigned char> byte[0]
    cdef Py_ssize_t left = len(data), found = 0
    cdef int place
    cdef unsigned char some
    while left >= 128:  # so few that a byte can count them, and many of them at once
        some = 0
        for place in range(128):
            some += text[place] == wanted
        found += some
        text += 128
        left -= 128
    for place in range(<int> left):
        found += text[place] == wanted
    return found
