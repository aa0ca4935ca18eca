# The addresses of a page's links: what `urls.resolve` makes of them. Plain ones met lately are found here again.
#
# A page has dozens of links to URLs that were met before, and each of them lies somewhere else in memory. So they are
# looked for many at once: memory is asked for all of them before the first is looked at.

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define ask_for(address) __builtin_prefetch(address)
    #else
    #define ask_for(address) ((void) (address))
    #endif
    """
    void ask_for(const void *address) noexcept nogil

cdef extern from "Python.h":
    Py_ssize_t length_of "PyUnicode_GET_LENGTH" (object text)
    const unsigned char *letters_in "PyUnicode_DATA" (object text)

cdef enum:
    WAYS = 4  # so many places fill a line of a processor's cache
    SETS = 1 << 15
    AT_ONCE = 64
    LONGEST_KEPT = 500

cdef struct Kept:
    uint64_t hash
    PyObject *url

cdef struct Written:  # a link as a page has it, what is to stand before it, and where its URL may be kept
    const unsigned char *before
    const unsigned char *text
    Py_ssize_t before_size, size
    uint64_t hash
    Kept *kept

cdef Kept *_kept = <Kept *> calloc(SETS * WAYS, sizeof(Kept))
if _kept == NULL:
    raise MemoryError
cdef uint64_t _salt = int.from_bytes(urandom(8), "little")


cdef uint64_t _hash(const unsigned char *text, Py_ssize_t size) noexcept nogil:
    cdef uint64_t found = _salt ^ <uint64_t> size, word
    while size > 0:
        word = 0
        memcpy(&word, text, 8 if size > 8 else size)
        found = (found ^ word) * <uint64_t> 0x9E3779B97F4A7C15
        found ^= found >> 29
        text += 8
        size -= 8
    found *= <uint64_t> 0xBF58476D1CE4E5B9
    return found ^ (found >> 32)


cdef inline Kept *_set_of(uint64_t hash) noexcept nogil:
    return &_kept[(hash & (SETS - 1)) * WAYS]


cdef void _look_up(Written *links, int number) noexcept nogil:
    """Find where the URLs of links may be kept."""
    cdef unsigned char whole[LONGEST_KEPT]
    cdef Written *link
    cdef Kept *kept
    cdef int place, way
    for place in range(number):
        link = &links[place]
        link.kept = NULL
        if link.text == NULL or link.before_size + link.size > LONGEST_KEPT:
            continue
        memcpy(whole, link.before, link.before_size)
        memcpy(whole + link.before_size, link.text, link.size)
        link.hash = _hash(whole, link.before_size + link.size)
        link.kept = _set_of(link.hash)
        ask_for(link.kept)
    for place in range(number):
        kept, links[place].kept = links[place].kept, NULL
        if kept == NULL:
            continue
        for way in range(WAYS):
            if kept[way].url != NULL and kept[way].hash == links[place].hash:
                links[place].kept = &kept[way]
                ask_for(kept[way].url)
                ask_for(<char *> kept[way].url + 64)
                break


cdef inline object _url_of(Written *link):
    """The URL that is kept of a link, if it is the link's letter by letter."""
    if link.kept == NULL:
        return None
    url = <object> link.kept.url
    if (
        length_of(url) == link.before_size + link.size
        and memcmp(letters_in(url), link.before, link.before_size) == 0
        and memcmp(letters_in(url) + link.before_size, link.text, link.size) == 0
    ):
        return url
    return None


cdef str _one_of_many(str url):
    """A URL as it is kept already; a plain one is kept from now on, in the place of another where none is free."""
    if not url.isascii() or length_of(url) > LONGEST_KEPT:
        return url
    cdef uint64_t hash = _hash(letters_in(url), length_of(url))
    cdef Kept *kept = _set_of(hash)
    cdef int way, chosen = hash >> 62
    for way in range(WAYS):
        if kept[way].url == NULL:
            chosen = way
            break
        if kept[way].hash == hash:
            if <object> kept[way].url == url:
                return <object> kept[way].url
            chosen = way
            break
    if urls.is_plain(url):
        Py_INCREF(url)
        Py_XDECREF(kept[chosen].url)
        kept[chosen].hash, kept[chosen].url = hash, <PyObject *> url
    return url


cdef inline bint _is_file(unsigned char first) noexcept nogil:
    """Whether a link that begins so leads, if to anything plain, to a file of its page's folder."""
    return 97 <= (first | 32) <= 122 or 48 <= first <= 57 or first == 95 or first == 126 or first == 45


cdef inline bint _is_whole(const unsigned char *text, Py_ssize_t size) noexcept nogil:
    return size > 7 and memcmp(text, b"http", 4) == 0 and (text[4] == 58 or text[5] == 58)
