"""Claims of canonical links: believed where the page that is named says the same, and never beyond their bounds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.duplicates import canonical_links as canonical
from lycosa.duplicates.canonical_links import CanonicalClaims, Copy, Named, Verdict

A, B, C = (f"https://s.example/{name}" for name in "abc")


def alike(one: Copy, other: Copy) -> bool:
    return one.digest[:1] == other.digest[:1]


def claims(kept: bytes | None = None) -> CanonicalClaims:
    return CanonicalClaims(alike, lambda url: None, kept)


def came(told: CanonicalClaims, url: str, digest: bytes, names: str = "") -> Verdict | None:
    told.became(url, Named(Copy(digest), names))
    return told.claim(url, names, Copy(digest)) if names not in ("", url) else None


def test_a_claim_waits_for_the_page_that_is_named_and_is_judged_by_its_text() -> None:
    told = claims()
    assert came(told, A, b"x1", C) is Verdict.WAITS
    assert came(told, B, b"y", C) is Verdict.WAITS
    found = told.became(C, Named(Copy(b"x2"), C))
    assert {each.url: each.verdict for each in found} == {A: Verdict.BELIEVED, B: Verdict.DIFFERS}
    assert told.claims(A, C)
    assert not told.claims(B, C)
    assert told.became(C, Named(Copy(b"x2"), C)) == [], "nothing new"
    (again,) = told.became(C, Named(Copy(b"z"), C))
    assert (again.url, again.verdict, again.anew) == (A, Verdict.DIFFERS, True)
    assert not told.claims(A, C)


def test_claims_are_known_again_after_a_restart() -> None:
    told = claims()
    came(told, A, b"x", C)
    assert told.changed
    again = claims(told.statistics())
    assert not told.changed
    assert [each.verdict for each in again.became(C, Named(Copy(b"x")))] == [Verdict.BELIEVED]
    assert [each.anew for each in claims(again.statistics()).became(C, Named())] == [True]


URLS = st.sampled_from([f"https://s.example/{name}" for name in "abcdef"])
EVENTS = st.lists(
    st.tuples(URLS, st.sampled_from(["", "came", "led"]), st.sampled_from([b"x1", b"x2", b"y"]), URLS), max_size=40
)


@given(EVENTS, st.booleans())
def test_what_is_believed_names_a_page_that_came_says_the_same_and_names_no_third(
    events: list[tuple[str, str, bytes, str]], restarts: bool
) -> None:
    told, now, believed = claims(), dict[str, Named](), dict[str, str]()
    for url, what, digest, names in events:
        named = Named(Copy(digest), names) if what == "came" else Named(target=names if what == "led" else "")
        if restarts:
            told = CanonicalClaims(alike, now.get, told.statistics())
        found = told.became(url, named)
        now[url] = named
        believed.pop(url, None)
        believed |= {each.url: each.target for each in found if each.verdict is Verdict.BELIEVED}
        for each in found:
            if each.anew:
                assert believed.pop(each.url) == each.target
        if named.copy and names != url and told.claim(url, names, named.copy) is Verdict.BELIEVED:
            believed[url] = names
        for one, other in believed.items():
            copy, target = now[one].copy, now[other]
            assert copy is not None
            assert target.copy is not None
            assert alike(copy, target.copy)
            assert target.names in ("", other)
            assert told.claims(one, other)


def test_memory_is_bounded_and_a_claim_without_room_leaves_its_page() -> None:
    told = claims()
    for number in range(canonical.CLAIMS_PER_PAGE + 50):
        assert came(told, f"{A}{number}", b"x", C) is Verdict.WAITS
    assert len(told.became(C, Named(Copy(b"x")))) == canonical.CLAIMS_PER_PAGE
    for number in range(canonical.MOST_CLAIMS + 500):
        came(told, f"{B}{number}", b"x", f"{C}{number}")
    assert len(told._targets) == canonical.MOST_CLAIMS
    assert len(told._pages) <= canonical.MOST_PAGES
