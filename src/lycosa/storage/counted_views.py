"""Which events of which views of pages were counted, so that none counts twice.

Events of a view are numbered; they may arrive out of order, so the latest few numbers
are remembered one by one and all before them count as seen.
"""

from __future__ import annotations

import struct
from typing import Any

from lycosa.click_records import ClickEvent
from lycosa.storage.table_scans import remove_before

REMEMBERED = 64
_DAY = struct.Struct(">i")
_SEEN = struct.Struct(">IQ")


class Views:
    """The numbers that came of each view, by day; all in the caller's transaction."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def take(self, txn: Any, site: bytes, event: ClickEvent) -> bool:
        """Note an event; False where it came before. A view may go on past midnight."""
        keys = [_DAY.pack(event.day - late) + site + event.view for late in (0, 1)]
        kept = next(((key, data) for key in keys if (data := txn.get(key, db=self._table)) is not None), None)
        key, (highest, bits) = (keys[0], (0, 0)) if kept is None else (kept[0], _SEEN.unpack(kept[1]))
        number = event.number
        if number > highest:
            bits = bits << (number - highest) & (1 << REMEMBERED) - 1 if number - highest < REMEMBERED else 0
            highest = number
        back = highest - number
        if back >= REMEMBERED or bits >> back & 1:
            return False
        txn.put(key, _SEEN.pack(highest, bits | 1 << back), db=self._table)
        return True

    def forget(self, txn: Any, before: int, most: int) -> int:
        """Forget views of days before one, at most so many. Returns how many."""
        return remove_before(txn, self._table, _DAY.pack(before), most)
