# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Documents read by compiled code: what `elements`, `link_context`, `links` and `main_text` do, step by step alike.

The tree is the parser's own and is walked by the parser's public functions, which its library
exports. Where that library has them not, or text nodes are not as expected, importing this fails.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, strlen

from os import urandom

from selectolax import lexbor as library
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from lycosa import urls
from lycosa.pages.html import main_text as plain_text
from lycosa.pages.html import link_context as plain_places
from lycosa.pages.html import long_blocks as plain_stretches
from lycosa.pages.html.elements import (
    MOST_BREAKS, MOST_RELATIONS, MOST_TITLES, SORT_OF_TAG, SORTS, Said, folded, kind_of, shortened,
)
from lycosa.pages.html.link_types import rel_with_type
from lycosa.pages.html.links import LONGEST_ANCHOR, LONGEST_HEADING, MENTIONS_PER_LINK, MOST_HEADINGS, MOST_INSIDE
from lycosa.pages.structure.outline import NUMBER_OF_KIND, TOO_DEEP, skeleton_of
from lycosa.pages.structure.skeleton import DEEPEST as DEEPEST_ELEMENT
from lycosa.pages.structure.skeleton import ForeignNames
from lycosa.records import Headings, Links

include "calls.pxi"
include "texts.pxi"
include "elements.pxi"
include "places.pxi"
include "stretches.pxi"
include "addresses.pxi"


cdef class CompiledTree(Elements):
    """A document: what it says of itself, then its links, and last its main text, in this order."""

    cdef readonly tuple headings
    cdef readonly int dropped
    cdef list places, around, framing, blocks, lines

    def __init__(self, bytes html, bint structure=False):
        self.framing, self.blocks, self.headings, self.lines = [], [], (), [None] * 3

    cdef int _find(self, int element) except -1:
        """Work out the place of what is directly below an element, and its block."""
        cdef int top = element, at
        cdef list chain = []
        while top >= 0 and self.places[top] is None:
            chain.append(top)
            top = -1 if sort_of[self.elements[top].kind] == NOISE else self.elements[top].up
        cdef Place around = _top if top < 0 else <Place> self.places[top]
        cdef object block = None if top < 0 else self.around[top]
        cdef Place place
        cdef Block begun
        while chain:
            at = chain.pop()
            place = self._inside(around, at)
            if place.block and place is not around:
                begun = Block.__new__(Block)
                begun.node, begun.flags, begun.framing = self.elements[at].node, place.block, place.framing
                begun.at = at
                self.blocks.append(begun)
                block = begun
            self.places[at], self.around[at] = place, block
            around = place
        return 0

    cdef Place _inside(self, Place above, int at):
        cdef Node node = self.elements[at].node
        cdef int kind = self.elements[at].kind, flags = flags_of[kind]
        if above.depth >= DEEPEST:
            return above
        cdef bint framing = above.framing
        if not framing and flags & (FRAME | PAGE_FRAME | HINTED):
            framing = flags & FRAME != 0 or (flags & PAGE_FRAME != 0 and not above.in_content)
            if not framing and flags & HINTED:
                framing = self._hints(node)
            if framing:
                self.framing.append(at)
        return _place(above, node, kind, framing)

    cdef bint _hints(self, Node node) except -1:
        if first_attribute(node) == NULL:
            return False
        named, identity, role = _attribute(node, CLASS), _attribute(node, ID), _attribute(node, ROLE)
        if not (named or identity or role):
            return False
        return hint_at_frame(
            (named or "")[:LONGEST_HINT], (identity or "")[:LONGEST_HINT], (role or "")[:LONGEST_HINT]
        )

    cdef str _boundary(self, Block block):
        if block.read is None:
            if block.flags & ONE_LINE:
                block.read = self._shortened(block.node, LONGEST_BOUNDARY, LONGEST_BOUNDARY * 2)
            else:
                self._gather(block.node, SPACED, LONGEST_BOUNDARY * LOOKED_AT)
                block.read = _short(self.buffer, self.filled, LONGEST_BOUNDARY, LONGEST_BOUNDARY * 2)
            if self.filled > LONGEST_BOUNDARY and (
                self.filled > 4 * LONGEST_BOUNDARY or _characters(self.buffer, self.filled) > LONGEST_BOUNDARY
            ):
                block.long, block.stretches = True, {}
        return block.read

    cdef str _around(self, Block block, int anchor):
        """Of a long block the part around an anchor."""
        cdef RunningText line = self._line(block)
        cdef Py_ssize_t begin = line.begins[block.at], at = line.begins[anchor]
        if begin < 0 or at < begin + MARGIN + STEP:
            return block.read
        number = (at - begin - MARGIN) // STEP
        found = block.stretches.get(number)
        if found is None:
            found = plain_stretches.stretch(line.text, begin, line.ends[block.at], number)
            block.stretches[number] = found
        return found

    cdef bint _mostly_links(self, Block block) except -1:
        if block.anchors < 2 or block.length * 10 < len(self._boundary(block)) * 7:
            return False
        return not block.long or block.length * 10 >= self._whole_length(block) * 7

    cdef Py_ssize_t _whole_length(self, Block block) except -1:
        """Of a long block; a short one is read whole."""
        cdef RunningText line = self._line(block)
        return line.ends[block.at] - line.begins[block.at]

    cdef RunningText _line(self, Block block):
        """The text of the document, in the manner in which the block is read."""
        cdef How how = AS_IT_IS if block.flags & ONE_LINE else SPACED
        if self.lines[how] is None:
            self.lines[how] = _laid_out(self, how)
        return self.lines[how]

    cdef bint _navigates(self, Block block) except -1:
        return block.framing or (block.flags & LIST and self._mostly_links(block))

    cdef str _heading(self, int number):
        return self._shortened(self._node(HEADINGS, number), LONGEST_HEADING, LONGEST_HEADING * 4)

    cdef int _level(self, int number) noexcept:
        return level_of[self.elements[self.sorted[HEADINGS].at[number]].kind]

    cdef list _headings_above(self, str title, int anchors):
        """For each anchor the headings above it, as `Outline` has them; all headings become known on the way."""
        cdef int number, level, count = self.sorted[HEADINGS].count
        cdef str text, main = title
        cdef list texts = [], above = [], levels = [], around = []
        for number in range(count):
            if self._level(number) == 1:
                main = self._heading(number) or title
                break
        current = Headings(main)
        for number in range(count):
            above.extend([current] * (self.anchors_before.at[number] - len(above)))
            text = self._heading(number) if len(texts) < MOST_HEADINGS else ""
            if not text:
                continue
            level = self._level(number)
            texts.append(text)
            while levels and levels[len(levels) - 1] >= level:
                levels.pop()
                around.pop()
            sections = around[len(around) - 1] if around else ()
            if level > 1 or text != main:
                sections = (*sections, text)
            levels.append(level)
            around.append(sections)
            current = Headings(main, sections, text)
        above.extend([current] * (anchors - len(above)))
        self.headings = tuple(texts)
        return above

    def links(self, page, str base, str title, Py_ssize_t most, bint drop_tracking, str codec=""):
        """One link per URL: the first mention, unless that one only navigates and a later one says more."""
        global _top, _places
        cdef int anchors = self.sorted[ANCHORS].count, at, position, depth = page.depth + 1
        cdef Block block, first, outside = Block.__new__(Block)
        cdef Place place
        if _places >= MOST_PLACES:
            _top, _places = _outside(), 0
        self.places, self.around = [None] * self.count, [None] * self.count
        outside.node = self.root
        cdef list above = self._headings_above(title, anchors)
        cdef list resolved = self._resolved(anchors, most * MENTIONS_PER_LINK, base, drop_tracking, codec)
        own = page.url
        cdef dict chosen = {}
        cdef Lines anchors_found = Lines()
        cdef Py_ssize_t length
        cdef list blocks = [], urls_found = [], boundaries = [], over = [], paths = [], rels = []
        for at, url in enumerate(resolved):
            if url is None or url == own:
                continue
            node = self._node(ANCHORS, at)
            parent = self.elements[self.sorted[ANCHORS].at[at]].up
            if parent >= 0 and self.places[parent] is None:
                self._find(parent)
            place = _top if parent < 0 else <Place> self.places[parent]
            block = outside if parent < 0 or self.around[parent] is None else <Block> self.around[parent]
            length = self._anchor(node)
            block.anchors += 1
            block.length += length
            position = len(blocks)
            known = chosen.get(url)
            if known is not None:
                position, first = known, blocks[<int> known]
                if length <= anchors_found.lines[position].length:
                    continue
                if not self._navigates(first) or self._navigates(block):
                    continue
                self._anchor(node)  # what the buffer holds by now is the text of a block
            elif position < most:
                chosen[url] = position
                urls_found.append(url)
                blocks.append(None)
                boundaries.append(None)
                over.append(None)
                paths.append(None)
                rels.append(None)
            else:
                self.dropped += 1
                continue
            anchors_found.put(position, self.buffer, self.filled, length)
            rel, kind = _attribute(node, REL), _attribute(node, TYPE)
            if block.read is None:
                self._boundary(block)
            boundaries[position] = self._around(block, self.sorted[ANCHORS].at[at]) if block.long else block.read
            blocks[position], over[position] = block, above[at]
            paths[position], rels[position] = place.link_path, rel_with_type(rel, kind) if rel or kind else ""
        return Links(own, depth, urls_found, anchors_found.text(), boundaries, over, "\n".join(paths), rels)

    cdef list _resolved(self, int anchors, Py_ssize_t most, str base, bint drop_tracking, str codec):
        """The URL of each anchor, None for one that leads nowhere; those beyond the most are counted as dropped."""
        cdef Written links[AT_ONCE]
        cdef Written *link
        cdef str origin = urls.site_of(base), folder = urls.folder_of(base)
        cdef list found = [], odd = [], hrefs = []
        cdef int at = 0, number, place
        cdef Py_ssize_t left = most if anchors > most else anchors + 1
        self.dropped = 0
        while at < anchors:
            number = 0
            while number < AT_ONCE and at < anchors:
                link = &links[number]
                _take_attribute(self._node(ANCHORS, at), HREF, &link.text, &link.size)
                link.before, link.before_size = link.text, 0
                at, number = at + 1, number + 1
                if link.text == NULL:
                    continue
                if link.size and link.text[0] == 47:
                    link.before, link.before_size = letters_in(origin), length_of(origin)
                elif link.size and _is_file(link.text[0]) and not _is_whole(link.text, link.size):
                    link.before, link.before_size = letters_in(folder), length_of(folder)
                left -= 1
                if left <= 0:
                    self.dropped, anchors = anchors - at, at
            _look_up(links, number)
            for place in range(number):
                url = _url_of(&links[place])
                if url is None and links[place].text != NULL:
                    odd.append(len(found))
                    hrefs.append(_decoded(links[place].text, links[place].size))
                found.append(url)
        if odd:
            for place, url in zip(odd, urls.resolve(base, hrefs, drop_tracking=drop_tracking, codec=codec)):
                found[place] = None if url is None else _one_of_many(url)
        return found

    def main_text(self):
        """The text of the content of a page; the text of all of it where there is no content to be found."""
        cdef Node top = body_of(self.document)
        if top == NULL:
            return ""
        removed = self._removable()
        for address in removed:
            take_out(<Node> <uintptr_t> address)
        text = self._main() or self._text(top, SPACED)
        if len(text) < plain_text.NEXT_TO_NOTHING:
            parts = [self._text(top, SPACED), *[self._text(<Node> <uintptr_t> address, SPACED) for address in removed]]
            text = " ".join(filter(None, parts))
        return plain_text.cleaned(text)

    cdef list _removable(self):
        """The addresses of the elements that are the frame of the page."""
        cdef int at
        cdef Block block
        found = {}
        for at in self.framing:
            found[<uintptr_t> self.elements[at].node] = None
        for at in range(self.sorted[FRAMES].count):
            if self._is_frame(self._node(FRAMES, at)):
                found[<uintptr_t> self._node(FRAMES, at)] = None
        for block in self.blocks:
            if not block.flags & KEPT and self._mostly_links(block):
                found[<uintptr_t> block.node] = None
        return list(found)

    cdef bint _is_frame(self, Node node) except -1:
        cdef int kind = _kind(node)
        if kind == FORM:
            return len(self._text(node, SPACED)) < plain_text.LARGE_FORM
        if kind != HEADER and kind != FOOTER:
            return True
        for _ in range(20):
            node = parent_of(node)
            if node == NULL:
                return True
            kind = _kind(node)
            if kind == MAIN or kind == ARTICLE:
                return False
        return True

    cdef str _main(self):
        cdef int sort = MAINS if self.sorted[MAINS].count else ARTICLES
        if self.sorted[sort].count and (sort == MAINS or self.sorted[ARTICLES].count == 1):
            text = self._text(self._node(sort, 0), SPACED)
            if len(text) >= plain_text.ENOUGH:
                return text
        return ""
