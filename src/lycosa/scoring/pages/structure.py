"""The page scorer `structure`: whether a page is built like the sample pages (M11), whatever it says.

Without a threshold the limit comes from the samples and the pages that the crawl meets
(see `match_threshold`); with one it is the similarity by simple tree matching that
M10 defines, worked out exactly where the sketches leave a doubt. Either way relevance
is stretched so that a page matches from 0.5 on: limits move while a crawl goes on, and
what was said of a page stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import Sketch, decided, likeness, most_similarity, sketch_of
from lycosa.pages.structure.tree_matching import TreeMatcher
from lycosa.plugins.plug_points import PageScorer, Topic
from lycosa.records import Page, Score, Visit
from lycosa.scoring.pages.match_threshold import Contrast
from lycosa.scoring.pages.sample_template import one_template_each, slots_of

MATCHES = 0.5
"""The relevance of a page that just matches."""
NO_STRUCTURE = Score(0.0, "it has no structure: not HTML, or nothing in it")


@lru_cache(maxsize=512)
def structure_of(code: bytes) -> tuple[Skeleton, Sketch] | None:
    """The skeleton and the sketch of a page's structure; None where it has none. Worked out once per page."""
    if not code:
        return None
    try:
        skeleton = Skeleton.from_bytes(code)
    except ValueError:
        return None
    return skeleton, sketch_of(skeleton)


def stretched(found: float, limit: float) -> float:
    """A likeness between 0 and 1 with its limit at MATCHES."""
    if found < limit:
        return MATCHES * found / limit
    return MATCHES + (1 - MATCHES) * (found - limit) / max(1 - limit, 1e-9)


class StructurePageScorer:
    """Pages by their likeness to samples, with a limit that follows the crawl."""

    threshold = MATCHES

    def __init__(self, samples: Sequence[Sketch], random: Random) -> None:
        self._samples = samples
        self._groups = one_template_each([sample.features for sample in samples])
        slots = [slots_of(sample.features) for sample in samples]
        self._contrasts = [Contrast([slots[number] for number in group], random) for group in self._groups]

    def relevance(self, page: Page) -> Score:
        """The best over the templates of the samples."""
        structure = structure_of(page.structure)
        if structure is None:
            return NO_STRUCTURE
        slots = slots_of(structure[1].features)
        found = [contrast.likeness(slots) for contrast in self._contrasts]
        values = [stretched(each.value, of.limit) for each, of in zip(found, self._contrasts, strict=True)]
        best = max(range(len(values)), key=values.__getitem__)
        nearest = max(self._groups[best], key=lambda number: likeness(structure[1], self._samples[number]))
        return Score(
            values[best],
            f"{'matches' if values[best] >= MATCHES else 'differs from'} the samples: likeness {found[best].value:.2f},"
            f" limit {self._contrasts[best].limit:.2f} from {self._contrasts[best].met} pages near them; it has"
            f" {found[best].has:.0%} of what they share, and {found[best].known:.0%} of it is in them;"
            f" nearest is sample {nearest + 1}",
        )

    def learn(self, visits: Sequence[Visit]) -> None:
        """Pages to compare with. After a restart those of before have no structure: comparing begins anew."""
        for visit in visits:
            structure = structure_of(visit.page.structure) if visit.page is not None else None
            if structure is not None:
                slots = slots_of(structure[1].features)
                for contrast in self._contrasts:
                    contrast.meet(slots)


class TreeMatchingPageScorer:
    """Pages by simple tree matching with the samples, from a given similarity on."""

    threshold = MATCHES

    def __init__(self, samples: Sequence[tuple[Skeleton, Sketch]], similarity: float) -> None:
        self._samples, self._similarity = samples, similarity
        self._matcher = TreeMatcher()

    def relevance(self, page: Page) -> Score:
        """The best over the samples; those that sketches rule out are not compared further."""
        structure = structure_of(page.structure)
        if structure is None:
            return NO_STRUCTURE
        found = [self._compared(structure, sample) for sample in self._samples]
        best = max(range(len(found)), key=lambda number: found[number][0])
        value, how = found[best]
        return Score(
            stretched(value, self._similarity),
            f"similarity {value:.2f} to sample {best + 1} ({how}), limit {self._similarity:.2f} as configured",
        )

    def _compared(self, page: tuple[Skeleton, Sketch], sample: tuple[Skeleton, Sketch]) -> tuple[float, str]:
        verdict = decided(page[1], sample[1], self._similarity)
        if verdict is None:
            return self._matcher.similarity(page[0], sample[0]), "exact"
        return most_similarity(page[1], sample[1]), "at most, by sketches"


def structure_page_scorer(configuration: Configuration, topic: Topic) -> PageScorer:
    """The page scorer `structure`."""
    samples = [structure for code in topic.structures if (structure := structure_of(code)) is not None]
    if not samples:
        raise ConfigurationError(
            "structure.samples: the page scorer `structure` needs the structures of sample pages; name some"
        )
    if configuration.structure.threshold:
        return TreeMatchingPageScorer(samples, configuration.structure.threshold)
    return StructurePageScorer([sketch for _, sketch in samples], Random("structure"))
