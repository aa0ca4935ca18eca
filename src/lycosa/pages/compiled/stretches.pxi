# Where the elements of a document stand in its text: what `running_text` tells, for pages with long blocks.

cdef Py_ssize_t STEP = plain_stretches.STEP, MARGIN = plain_stretches.MARGIN


cdef class RunningText:
    """The text of a document as one line, and where in it each element begins and ends; -1 for one taken out."""

    cdef str text
    cdef Py_ssize_t *begins
    cdef Py_ssize_t *ends

    def __cinit__(self, int elements):
        cdef int at
        self.begins = <Py_ssize_t *> calloc(elements, sizeof(Py_ssize_t))
        self.ends = <Py_ssize_t *> calloc(elements, sizeof(Py_ssize_t))
        if self.begins == NULL or self.ends == NULL:
            raise MemoryError
        for at in range(elements):
            self.begins[at] = -1

    def __dealloc__(self):
        free(self.begins)
        free(self.ends)


cdef RunningText _laid_out(Elements tree, How how):
    """The whole text of a document, made as `_gather` makes it, with the places of its elements."""
    cdef RunningText line = RunningText(tree.count)
    cdef Node node = tree.root
    cdef int at = 0, inside = 0
    cdef Py_ssize_t characters = 0, before
    cdef bint follows = False
    tree.filled = 0
    while True:
        if type_of(node) == TEXT:
            before = tree.filled
            tree._add_piece(node, how, &follows)
            characters += _characters(tree.buffer + before, tree.filled - before)
        elif type_of(node) == ELEMENT:
            while tree.elements[at].node != node:
                at += 1
            line.begins[at], line.ends[at] = characters + (how == SPACED and follows), characters
            if first_child(node) != NULL:
                inside, node = at, first_child(node)
                continue
        while node != tree.root and next_sibling(node) == NULL:
            line.ends[inside] = characters
            node, inside = parent_of(node), tree.elements[inside].up
        if node == tree.root:
            break
        node = next_sibling(node)
    line.text = _decoded(tree.buffer, tree.filled) if tree.filled else ""
    return line
