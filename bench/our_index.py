"""`python -m bench.our_index FOLDER`: our indexer over a finished crawl, timed."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.indexing.index_process import open_writer
from lycosa.indexing.indexer import Indexer
from lycosa.storage.agent_store import AgentStore


def main() -> None:
    folder = CrawlFolder(Path(sys.argv[1]) / "crawls" / "bench")
    configuration = folder.configuration()
    began = time.process_time()
    writer = open_writer(folder, configuration.index.memory)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        indexer = Indexer(writer, folder.archive, [store])
        pages = 0
        while done := indexer.follow(1000):
            pages += done
        indexer.commit()
    writer.close()
    print(json.dumps({"pages": pages, "cpu_seconds": time.process_time() - began}))


if __name__ == "__main__":
    main()
