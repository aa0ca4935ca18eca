"""The agents of a crawl, forked from one process so that they start at once. Arguments: PIDS FOLDER.

None is started again when it dies. They end when people wish it, or when standard input closes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from watched_process import main

import lycosa.supervision.processes  # noqa: F401 - read once for all agents
from lycosa.crawl_folder.folder import CrawlFolder

if __name__ == "__main__":
    pids, path = Path(sys.argv[1]), sys.argv[2]
    pids.mkdir()
    for number in range(CrawlFolder(Path(path)).configuration().agents):
        if not os.fork():
            os._exit(main(pids, ["agent", path, str(number)]))
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
