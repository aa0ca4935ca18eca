"""What fetchers without a network share: their answers are judged exactly like those of real servers."""

from __future__ import annotations

from lycosa.configuration.sections import Fetching
from lycosa.fetching.exchange import UNWANTED, Fault, Transferred
from lycosa.fetching.response_outcome import Judge, page_plan, sitemap_plan
from lycosa.plugins.plug_points import Known
from lycosa.records import SITEMAP, Link, Outcome, Response


def conditions(known: Known | None) -> dict[str, str]:
    """The request headers that ask only for what is newer than the copy we have."""
    if known is None:
        return {}
    offered = {"if-none-match": known.etag, "if-modified-since": known.last_modified}
    return {name: value for name, value in offered.items() if value}


class OfflineJudge:
    """Turns a recorded or simulated answer into an outcome."""

    def __init__(self, fetching: Fetching) -> None:
        self._plan = page_plan(fetching.types, fetching.largest_transfer)
        self._sitemap_plan = sitemap_plan(fetching.largest_sitemap)
        self._judge = Judge(fetching)

    def outcome(self, link: Link, response: Response, conditional: bool) -> Outcome:
        """What the answer means; its `raw` is the body as transferred."""
        fields = {name.lower(): value for name, value in reversed(response.headers)}
        ceiling = (self._sitemap_plan if link.rel == SITEMAP else self._plan)(response.status, fields)
        came = Transferred(
            status=response.status,
            headers=response.headers,
            fields=fields,
            raw=response.raw[: max(0, ceiling)],
            began=response.began,
            seconds=response.seconds,
            address=response.address,
            truncated=response.truncated or len(response.raw) > ceiling,
            fault=Fault("unwanted") if ceiling == UNWANTED else None,
        )
        return self._judge.outcome(link, came, conditional)
