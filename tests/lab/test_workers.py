"""Trials in processes: Ctrl-C ends a comparison whatever its trials are doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def test_ctrl_c_ends_a_single_trial_that_is_stuck_in_c() -> None:
    script = Path(__file__).with_name("stuck_trial.py")
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        try:
            out, told = process.communicate(timeout=20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert "KeyboardInterrupt" in told
    assert out == "", "the pipe is closed when the worker is gone, too"
