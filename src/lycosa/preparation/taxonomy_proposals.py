"""Proposals for a person's taxonomy: made from documents and crawls, kept in the home folder, decided there.

Open proposals, refusals and accepted variants lie in `taxonomy/vocabulary`. An
accepted proposal is an edit of the taxonomy like any other and taken back by the
same undo: what was accepted is noted with the edit's number, and a note whose edit
is gone from the taxonomy's history, undone or never finished, is taken back when
the vocabulary is next looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import alone_in
from lycosa.durable import replace_file
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.records import Record
from lycosa.topics.semantic_checker.proposals import VARIANT, Proposal, Refusal, Refusals, accepted, refusal_of
from lycosa.topics.taxonomy import Taxonomy
from lycosa.topics.vocabulary import Variant, Variants, Vocabulary, parse_variants


class Numbered(Record, frozen=True):
    """An open proposal and the number people call it by."""

    number: int
    proposal: Proposal


class Accepted(Record, frozen=True):
    """Proposals that were accepted in one edit of the taxonomy, and the variants that these replaced."""

    edit: int
    what: str
    proposals: tuple[Numbered, ...]
    replaced: tuple[Variant, ...] = ()


class Desk(Record, frozen=True):
    """All that is noted: open, rejected (latest last) and accepted proposals."""

    open: tuple[Numbered, ...] = ()
    rejected: tuple[Numbered, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class OwnVocabulary:
    """The vocabulary of a home folder: its taxonomy, variants and proposals."""

    def __init__(self, home: Path) -> None:
        self.taxonomy = OwnTaxonomy(home)
        self.folder = self.taxonomy.folder / "vocabulary"

    # -- looking ------------------------------------------------------------------------------------

    def vocabulary(self, language: str = "en") -> Vocabulary:
        """V as it is now."""
        with alone_in(self.folder):
            self._settled()
            return Vocabulary(self.taxonomy.load(), self._variants(), language)

    def open(self) -> tuple[Numbered, ...]:
        """The proposals that wait for a decision."""
        with alone_in(self.folder):
            return self._settled().open

    def noted(self) -> Desk:
        """All that is noted: what is open, rejected and accepted."""
        with alone_in(self.folder):
            return self._settled()

    def refusals(self) -> Refusals:
        """What was rejected and shall not come back."""
        with alone_in(self.folder):
            return Refusals(self._settled().refusals)

    # -- deciding -----------------------------------------------------------------------------------

    def propose(self, proposals: Sequence[Proposal]) -> tuple[Numbered, ...]:
        """Replace the open proposals by these, numbered from 1."""
        with alone_in(self.folder):
            numbered = tuple(Numbered(number, proposal) for number, proposal in enumerate(proposals, 1))
            self._write(msgspec.structs.replace(self._settled(), open=numbered))
            return numbered

    def accept(self, numbers: Sequence[int], label: str = "") -> tuple[str, Taxonomy]:
        """Make the changes that these proposals want, as one edit; returns what was done and the new taxonomy."""
        with alone_in(self.folder):
            desk = self._settled()
            chosen = _chosen(desk, numbers)
            what = "accepted: " + "; ".join(each.proposal.told() for each in chosen)
            history = self.taxonomy.history()
            note = Accepted(history[-1].number + 1 if history else 1, what, chosen, self._about_to_replace(chosen))
            left = tuple(each for each in desk.open if each not in chosen)
            _, variants = _with_all(self.taxonomy.load(), self._variants(), chosen, label)
            self._write_variants(variants)
            self._write(msgspec.structs.replace(desk, open=left, accepted=(*desk.accepted, note)))
            changed = self.taxonomy.change(lambda taxonomy: _with_all(taxonomy, variants, chosen, label)[0], what)
            self._renumber(note)
            return what, changed

    def _renumber(self, note: Accepted) -> None:
        """Note the number that the edit really got: somebody may have edited the taxonomy just before."""
        number = max(edit.number for edit in self.taxonomy.history() if edit.what == note.what)
        if number != note.edit:
            desk = self._read()
            right = msgspec.structs.replace(note, edit=number)
            self._write(msgspec.structs.replace(desk, accepted=(*desk.accepted[:-1], right)))

    def _about_to_replace(self, chosen: Sequence[Numbered]) -> tuple[Variant, ...]:
        words = {each.proposal.words[0] for each in chosen if each.proposal.kind == VARIANT}
        return tuple(variant for variant in self._variants() if variant.word in words)

    def reject(self, numbers: Sequence[int]) -> tuple[Numbered, ...]:
        """Drop proposals for good."""
        with alone_in(self.folder):
            desk = self._settled()
            chosen = _chosen(desk, numbers)
            refusals = (*desk.refusals, *(refusal_of(each.proposal) for each in chosen))
            left = tuple(each for each in desk.open if each not in chosen)
            self._write(Desk(left, (*desk.rejected, *chosen), desk.accepted, tuple(dict.fromkeys(refusals))))
            return chosen

    def take_back_rejection(self) -> Numbered:
        """Open the proposal that was rejected last again."""
        with alone_in(self.folder):
            desk = self._settled()
            if not desk.rejected:
                raise ConfigurationError("there is no rejection to take back")
            last = desk.rejected[-1]
            refusals = tuple(each for each in desk.refusals if each != refusal_of(last.proposal))
            self._write(Desk(_opened(desk.open, (last,)), desk.rejected[:-1], desk.accepted, refusals))
            return last

    # -- keeping ------------------------------------------------------------------------------------

    def _settled(self) -> Desk:
        """The desk, after taking back what belongs to edits that are gone."""
        desk, history = self._read(), self.taxonomy.history()
        oldest = history[0].number if history else None
        there = {(edit.number, edit.what) for edit in history}
        gone = [note for note in desk.accepted if (note.edit, note.what) not in there]
        gone = [note for note in gone if oldest is None or note.edit >= oldest]
        if not gone:
            return desk
        variants, waiting = self._variants(), desk.open
        for note in reversed(gone):
            for each in note.proposals:
                variants = variants.without(each.proposal.words[0]) if each.proposal.kind == VARIANT else variants
            for variant in note.replaced:
                variants = variants.with_one(variant)
            waiting = _opened(waiting, note.proposals)
        kept = tuple(note for note in desk.accepted if note not in gone)
        settled = msgspec.structs.replace(desk, open=waiting, accepted=kept)
        self._write_variants(variants)
        self._write(settled)
        return settled

    def _read(self) -> Desk:
        try:
            return msgspec.json.decode((self.folder / "proposals.json").read_bytes(), type=Desk)
        except FileNotFoundError:
            return Desk()
        except (msgspec.DecodeError, OSError) as error:
            path = self.folder / "proposals.json"
            raise ConfigurationError(f"{path}: cannot be read ({error}); move it away to begin anew") from None

    def _write(self, desk: Desk) -> None:
        replace_file(self.folder / "proposals.json", msgspec.json.encode(desk).decode())

    def _variants(self) -> Variants:
        path = self.folder / "variants.toml"
        try:
            return parse_variants(path.read_text("utf-8"), str(path))
        except FileNotFoundError:
            return Variants()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path}: cannot be read ({error}); variants are UTF-8 text") from None

    def _write_variants(self, variants: Variants) -> None:
        replace_file(self.folder / "variants.toml", variants.written())


def _chosen(desk: Desk, numbers: Sequence[int]) -> tuple[Numbered, ...]:
    there = {each.number: each for each in desk.open}
    unknown = [str(number) for number in numbers if number not in there]
    if unknown:
        hint = (
            f"there are {len(there)}, see `lycosa topics propose`"
            if there
            else "make some with `lycosa topics propose`"
        )
        raise ConfigurationError(f"no open proposal has the number {', '.join(unknown)}; {hint}")
    return tuple(there[number] for number in dict.fromkeys(numbers))


def _opened(waiting: tuple[Numbered, ...], again: Sequence[Numbered]) -> tuple[Numbered, ...]:
    """Open proposals with some more, each under its number where that is free, else under the next."""
    numbers = {each.number for each in waiting}
    known = {each.proposal for each in waiting}
    for each in again:
        if each.proposal not in known:
            number = each.number if each.number not in numbers else max(numbers) + 1
            numbers.add(number)
            waiting = (*waiting, Numbered(number, each.proposal))
    return tuple(sorted(waiting, key=lambda each: each.number))


def _with_all(
    taxonomy: Taxonomy, variants: Variants, chosen: Sequence[Numbered], label: str
) -> tuple[Taxonomy, Variants]:
    for each in chosen:
        taxonomy, variants = accepted(taxonomy, variants, each.proposal, label)
    return taxonomy, variants
