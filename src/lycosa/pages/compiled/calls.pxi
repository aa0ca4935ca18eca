# The parser's public functions, found in its library, and what its numbers for names mean to us.

cdef extern from "dlfcn.h" nogil:
    void *dlopen(const char *path, int flags)
    void *dlsym(void *handle, const char *name)
    int RTLD_NOW

ctypedef void *Node
ctypedef Node (*Step)(Node) noexcept nogil
ctypedef const unsigned char *(*Text)(Node, size_t *) noexcept nogil

cdef enum:
    ELEMENT = 1
    TEXT = 3
    KINDS = 1024  # the parser numbers the names it knows below this, others far above

cdef enum Flag:  # what an element is to the text around links
    OWN_BOUNDARY = 1
    SECTION = 2
    BLOCK = 4
    ONE_LINE = 8
    CONTENT = 16
    FRAME = 32
    PAGE_FRAME = 64
    HINTED = 128
    LIST = 256
    KEPT = 512
    NAMED = 1024  # has a name of HTML, the same wherever it stands

cdef Step first_child, next_sibling, parent_of, first_attribute, next_attribute
cdef uintptr_t (*tag_of)(Node) noexcept nogil
cdef int (*type_of)(Node) noexcept nogil
cdef Text attribute_name, attribute_value, element_name
cdef void (*take_out)(Node) noexcept nogil
cdef void (*put_before)(Node, Node) noexcept nogil
cdef Node (*new_text)(Node, const unsigned char *, size_t) noexcept nogil
cdef Node (*new_document)() noexcept nogil
cdef Node (*end_document)(Node) noexcept nogil
cdef unsigned int (*parse_document)(Node, const unsigned char *, size_t) noexcept nogil
cdef void (*set_options)(Node, int) noexcept nogil
cdef void (*set_scripting)(Node, bint) noexcept nogil
cdef Step body_of

cdef enum:
    HREF, REL, CLASS, ID, ROLE, LANG, TYPE
    ALL_ATTRIBUTES
cdef const char *ATTRIBUTES[ALL_ATTRIBUTES]
ATTRIBUTES[:] = ["href", "rel", "class", "id", "role", "lang", "type"]
cdef int attribute_kinds[ALL_ATTRIBUTES]
cdef int sort_of[KINDS]
cdef int flags_of[KINDS]
cdef int level_of[KINDS]
cdef int number_of[KINDS]
cdef int IMAGE, FORM, HEADER, FOOTER, MAIN, ARTICLE, HEAD, BODY, HTML
cdef enum:
    ANCHORS = 1  # the sorts of `elements.SORTS`, counted from one
    NOISE, FRAMES, MAINS, ARTICLES, METAS, RELATIONS, BASES, TITLES, TIMES, BREAKS, HEADINGS
    ALL_SORTS


cdef void *_function(void *handle, const char *name) except NULL:
    cdef void *found = dlsym(handle, name)
    if found == NULL:
        raise ImportError(f"the parser's library has no {name.decode()}")
    return found


cdef int _connect() except -1:
    global first_child, next_sibling, parent_of, first_attribute, next_attribute, tag_of, type_of, attribute_name
    global attribute_value, element_name, take_out, put_before, new_text
    global new_document, end_document, parse_document, set_options, set_scripting, body_of
    cdef void *handle = dlopen(library.__file__.encode(), RTLD_NOW)
    if handle == NULL:
        raise ImportError("the parser's library cannot be opened")
    first_child = <Step> _function(handle, "lxb_dom_node_first_child_noi")
    next_sibling = <Step> _function(handle, "lxb_dom_node_next_noi")
    parent_of = <Step> _function(handle, "lxb_dom_node_parent_noi")
    first_attribute = <Step> _function(handle, "lxb_dom_element_first_attribute_noi")
    next_attribute = <Step> _function(handle, "lxb_dom_element_next_attribute_noi")
    tag_of = <uintptr_t (*)(Node) noexcept nogil> _function(handle, "lxb_dom_node_tag_id_noi")
    type_of = <int (*)(Node) noexcept nogil> _function(handle, "lxb_dom_node_type_noi")
    attribute_name = <Text> _function(handle, "lxb_dom_attr_qualified_name")
    attribute_value = <Text> _function(handle, "lxb_dom_attr_value_noi")
    element_name = <Text> _function(handle, "lxb_dom_element_qualified_name")
    take_out = <void (*)(Node) noexcept nogil> _function(handle, "lxb_dom_node_remove")
    put_before = <void (*)(Node, Node) noexcept nogil> _function(handle, "lxb_dom_node_insert_before")
    new_text = <Node (*)(Node, const unsigned char *, size_t) noexcept nogil> _function(
        handle, "lxb_dom_document_create_text_node"
    )
    new_document = <Node (*)() noexcept nogil> _function(handle, "lxb_html_document_create")
    end_document = <Step> _function(handle, "lxb_html_document_destroy")
    parse_document = <unsigned int (*)(Node, const unsigned char *, size_t) noexcept nogil> _function(
        handle, "lxb_html_document_parse"
    )
    set_options = <void (*)(Node, int) noexcept nogil> _function(handle, "lxb_dom_document_opt_set_noi")
    set_scripting = <void (*)(Node, bint) noexcept nogil> _function(handle, "lxb_dom_document_scripting_set_noi")
    body_of = <Step> _function(handle, "lxb_html_document_body_element_noi")
    return 0


cdef int _fill_tables() except -1:
    global IMAGE, FORM, HEADER, FOOTER, MAIN, ARTICLE, HEAD, BODY, HTML
    cdef int kind
    for kind in range(KINDS):
        sort_of[kind] = flags_of[kind] = level_of[kind] = 0
        number_of[kind] = NUMBER_OF_KIND.get(kind, -1)
    number_of[0] = -1
    for tag, sort in SORT_OF_TAG.items():
        sort_of[kind_of(tag)] = SORTS.index(sort) + 1
    for level in range(1, 7):
        level_of[kind_of(f"h{level}")] = level
    meant = (
        (OWN_BOUNDARY, plain_places.OWN_BOUNDARY), (SECTION, plain_places.SECTIONS), (BLOCK, plain_places.BLOCKS),
        (ONE_LINE, plain_places.ONE_LINE), (CONTENT, plain_places.CONTENT), (FRAME, plain_places.FRAME), (PAGE_FRAME, plain_places.PAGE_FRAME),
        (HINTED, plain_places.HINTED), (LIST, plain_places.LISTS), (KEPT, plain_text.KEPT),
        (NAMED, ("html", "span", "b", "i", "em", "strong", "small", "sup", "sub", "code", "font", "label", "tbody")),
    )
    for flag, tags in meant:
        for tag in tags:
            flags_of[kind_of(tag)] |= <int> flag | NAMED
    IMAGE, FORM, HEADER, FOOTER = kind_of("img"), kind_of("form"), kind_of("header"), kind_of("footer")
    MAIN, ARTICLE, HEAD, BODY, HTML = map(kind_of, ("main", "article", "head", "body", "html"))
    return 0


cdef int _learn_attributes() except -1:
    """The parser's numbers for the names of attributes."""
    cdef Node attribute
    cdef int number
    for number in range(ALL_ATTRIBUTES):
        parser = LexborHTMLParser(b"<p " + ATTRIBUTES[number] + b">")
        attribute = first_attribute(<Node> <uintptr_t> parser.body.first_child.mem_id)
        attribute_kinds[number] = _kind(attribute)
    return 0


cdef struct Words:  # what a text node says: where, and how many bytes of it
    const unsigned char *text
    size_t size

cdef size_t words_at = 0
cdef enum:
    LARGEST_NODE = 256


cdef inline Words *words_of(Node node) noexcept nogil:
    """What a text node says, in place: the parser's own function for it makes a copy."""
    return <Words *> (<char *> node + words_at)


cdef int _find_words() except -1:
    """Learn where in a text node its words are: of two such nodes, and a place that is right for both."""
    global words_at
    cdef Node document = new_document()
    cdef Node nodes[2]
    cdef Words *words
    cdef bint right
    cdef int number
    texts = (b"where are the words of this node", b"and where are those of the other one?")
    try:
        if document == NULL:
            raise MemoryError
        for number, text in enumerate(texts):
            nodes[number] = new_text(document, text, len(text))
            if nodes[number] == NULL:
                raise MemoryError
        for words_at in range(0, LARGEST_NODE, sizeof(void *)):
            right = True
            for number, text in enumerate(texts):
                words = words_of(nodes[number])
                if words.size != <size_t> len(text) or memcmp(words.text, <const char *> text, words.size):
                    right = False
                    break
            if right:
                return 0
    finally:
        if document != NULL:
            end_document(document)
    raise ImportError("the parser's text nodes are not as expected")


_connect()
_find_words()
_fill_tables()
_learn_attributes()
