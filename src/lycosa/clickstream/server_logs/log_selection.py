"""Which logs of an import have something new, in which format, and which of them must wait for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import xxhash

from lycosa.clickstream.server_logs.known_logs import OpenLog, open_log, waiting_bytes
from lycosa.clickstream.server_logs.log_files import STDIN, LogFile
from lycosa.clickstream.server_logs.merged_logs import LogNote, LogRun
from lycosa.clickstream.server_logs.parsing.formats import Detected, LogFormat, detect, format_called
from lycosa.clickstream.server_logs.request_filter import RequestSieve
from lycosa.clickstream.server_logs.sessions.store_protocol import LogStore
from lycosa.configuration.settings import ConfigurationError

LOOKED_AT = 100
LONGEST_SHOWN = 120


@dataclass(slots=True)
class Choice:
    """Logs to read now, and those that may repeat one of them and so come later."""

    runs: list[LogRun] = field(default_factory=list)
    later: list[LogFile] = field(default_factory=list)


def chosen_logs(
    files: Sequence[LogFile], sieve: RequestSieve, store: LogStore, told: str, notes: list[LogNote]
) -> Choice:
    """Open all logs at what is new in them. Of logs that begin alike only one is read at a time, the shortest first."""
    by_mark: dict[str, list[OpenLog]] = {}
    unknown: list[str] = []
    for file in files:
        log = open_log(file, sieve.site.name, store)
        if log is None:
            waiting = waiting_bytes(file)
            notes.append(LogNote(file.name, waiting=waiting, said="" if waiting else "it is empty"))
        elif log.shorter_copy:
            notes.append(LogNote(file.name, said="it is a shorter copy of a log that was read before"))
            log.release()
        else:
            log.release()
            by_mark.setdefault(log.mark, []).append(log)
    choice = Choice()
    for alike in by_mark.values():
        first, *others = sorted(alike, key=lambda log: _length(log.file)) if len(alike) > 1 else alike
        choice.later += [log.file for log in others]
        run = _run(first, sieve, told, notes, unknown)
        if run is not None:
            choice.runs.append(run)
    if unknown and not choice.runs and not choice.later and not any(note.format for note in notes):
        raise ConfigurationError(f"no file here is a log that can be read: {unknown[0]}")
    choice.runs.sort(key=lambda run: (run.log.mark, run.log.file.name))
    return choice


def _length(file: LogFile) -> tuple[int, bytes]:
    """How long a log is when it is unpacked."""
    if file.name == STDIN:
        return -1, b""
    stream, length, hashed = file.open(), 0, xxhash.xxh3_128()
    while data := stream.read(1 << 20):
        length += len(data)
        hashed.update(data)
    stream.close()
    return length, hashed.digest()


def _run(log: OpenLog, sieve: RequestSieve, told: str, notes: list[LogNote], unknown: list[str]) -> LogRun | None:
    log.resume()
    lines = log.blocks.first_lines(LOOKED_AT)
    note = LogNote(log.file.name, skipped=log.reached.length if log.reached else 0)
    try:
        form, detected = _format(log, lines, told)
    except ConfigurationError as error:
        if log.file.told:
            raise
        note.said = "it is no log that can be read"
        unknown.append(str(error))
        notes.append(note)
        return None
    finally:
        log.release()
    notes.append(note)
    note.format = form.name
    if detected is not None:
        note.explained, note.looked_at = detected.explained, detected.looked_at
    return LogRun(log, form, note, _first_time(form.name, log, lines, sieve))


def _format(log: OpenLog, lines: Sequence[bytes], told: str) -> tuple[LogFormat, Detected | None]:
    reached = log.reached
    if told:
        return format_called(told, reached.directive if reached else ""), None
    if reached is not None and reached.format:
        return format_called(reached.format, reached.directive), None
    detected = detect(lines)
    if detected is None:
        shown = next((line for line in lines if line.strip()), b"")[:LONGEST_SHOWN].decode("utf-8", "backslashreplace")
        raise ConfigurationError(
            f"{log.file.name}: its format is not known, its first line is {shown!r}; say it with --format"
            + (f" ({log.blocks.stream.damage})" if log.blocks.stream.damage else "")
        )
    return format_called(detected.format), detected


def _first_time(name: str, log: OpenLog, lines: Sequence[bytes], sieve: RequestSieve) -> int:
    """The time of the first request that is new, among those with a time that can be."""
    form = format_called(name, log.reached.directive if log.reached else "")
    entries = (form.entry(line) for line in lines if not form.ignores(line))
    at = np.array([entry.at for entry in entries if entry is not None], np.int64)
    return next(iter(at[sieve.timely(at)].tolist()), 0)
