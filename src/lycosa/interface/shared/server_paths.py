"""Messages for browsers: they never say where on the server something lies."""

from __future__ import annotations

import re

_STOPS = r"\s'\"`“”‘’<>;,():|*"
_NAME = rf"[^/{_STOPS}](?:[^/\n'\"`“”‘’<>;,():|*]*[^/{_STOPS}])?"
_PATH = re.compile(rf"(?<![\w:/.*~%\])-])/(?:{_NAME}/)+(?=[^/{_STOPS}])")
"""The folders of an absolute path; what follows them is the name of the file."""


def sentence_of(error: BaseException) -> str:
    """The message of an error, as a browser may show it."""
    return without_paths(str(error))


def without_paths(text: str) -> str:
    """A text in which only the last name of each absolute path is left."""
    return _PATH.sub("…/", text) if "/" in text else text
