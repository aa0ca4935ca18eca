"""The server as a person starts it: a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVE = """
import sys
from pathlib import Path
from lycosa.interface.server.app import serve
serve(Path(sys.argv[1]), sys.argv[2], 0, lambda address, _: print(address, flush=True))
print("ended", flush=True)
"""


@contextmanager
def served(home: Path, host: str = "127.0.0.1") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own: its address and its process."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(home), host],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address, f"the server did not start: {process.stderr.read() if process.stderr else ''}"
        yield address, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=15)
