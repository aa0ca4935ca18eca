"""A page over which an agent died, perhaps because of it, is read in a process with limits before anything else."""

from __future__ import annotations

from collections.abc import Callable

from lycosa.configuration.sections import Reading
from lycosa.crawl_folder.suspect_pages import TOO_COSTLY, SuspectPages
from lycosa.limited_process import LimitedProcess
from lycosa.records import Failed, Fetched, Outcome


async def checked(fetched: Fetched, suspects: SuspectPages, limits: Reading, read: Callable[[], object]) -> Outcome:
    """The page if it may be read with others, else a failure; `read` reads it as the agent would. Mostly at once."""
    url, response = fetched.link.url, fetched.response
    why = suspects.refused(url, response.body)
    if not why and suspects.doubts(url):
        why = await LimitedProcess(read, limits.within, limits.memory).ended()
        if why:
            suspects.refuse(url, why, response.body)
    return Failed(fetched.link, TOO_COSTLY, why, response=response) if why else fetched
