"""The command line: what can be typed, and how errors reach a person.

Every command is a function `(arguments) -> exit code` in a module of `commands`,
which is imported only when one of its commands was asked for: a small command starts
fast. An error that a person can mend is one sentence on standard error and an exit
code that is not 0.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EACCES, ENOSPC, EPERM, EROFS
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType

import lmdb

from lycosa import __version__
from lycosa.interface import command_process
from lycosa.user_error import Mendable

EXAMPLES = """examples:
  lycosa demo                                              see it work on a small web of its own
  lycosa crawl --topic "wolf spiders" --seed https://example.org/ --contact https://me.example/bot
  lycosa status wolf-spiders                               how is it doing?
  lycosa search wolf-spiders "burrow -tarantula"           find pages again
  lycosa explain wolf-spiders https://example.org/page     why was this page crawled, or why not?
"""

READING = ("check", "explain", "report", "export", "search", "history", "sitemap", "structure", "treasure")
"""Commands that read what may be damaged, and change nothing while a crawl runs."""
NO_MEMORY = "there is too little memory; end other programs, or allow more (`ulimit -v unlimited`: stores are mapped)"
CLOSED_PIPE = 141
"""The exit code of a command whose reader went away: as if the signal for that had ended it."""
_RIGHTS = (EACCES, EPERM, EROFS)
COMMANDS = {
    "crawl": ("crawl",),
    "resume": ("resume", "revisit"),
    "steering": ("pause", "stop", "set", "block", "allow", "add"),
    "status": ("status",),
    "report": ("report", "export"),
    "explain": ("explain",),
    "search": ("search", "serve"),
    "topics.taxonomy": ("topics",),
    "seeds": ("seeds",),
    "treasure": ("treasure",),
    "structure": ("structure",),
    "clicks.actions": ("clicks",),
    "clicks.collect": ("collect",),
    "check": ("check",),
    "history": ("history",),
    "sitemap": ("sitemap",),
    "lab.compare": ("lab",),
    "tokens": ("tokens",),
    "follow": ("follow",),
    "doctor": ("doctor",),
    "demo.demo": ("demo",),
}
"""The modules of `commands`, in the order of the help, and the commands that each adds."""
ACTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "topics.taxonomy": {"topics.classify": (), "topics.proposals": ()},
    "clicks.actions": {
        "clicks.importance": ("top",),
        "clicks.behaviour": ("behaviour",),
        "clicks.log_import": ("import",),
        "clicks.collect": ("sites", "forget", "refusals"),
        "clicks.dark_pages": ("dark",),
    },
}
"""The modules that add actions to a command of another one, and these actions, where it pays to load only one."""


def parser(asked: Iterable[str] = COMMANDS, action: str = "") -> argparse.ArgumentParser:
    """Everything that can be typed, or only what these modules add, be it a single action."""
    main_parser = argparse.ArgumentParser(
        prog="lycosa",
        description="A focused web crawler with its own search engine.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_shared()],
    )
    main_parser.add_argument("--version", action="version", version=f"lycosa {__version__}")
    commands = main_parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    later = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    later.add_argument("--home", help=argparse.SUPPRESS)
    later.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    for module in asked:
        actions = _module(module).add_commands(commands, later)
        more = ACTIONS.get(module, {})
        for name in [name for name, typed in more.items() if action in typed] or more:
            _module(name).add_actions(actions, later)
    return main_parser


def _shared() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", help="where crawls live (default: LYCOSA_HOME, else the platform's data folder)")
    shared.add_argument("--json", action="store_true", help="print figures as JSON")
    return shared


def _module(name: str) -> ModuleType:
    return import_module(f"lycosa.interface.commands.{name}")


def _asked(arguments: Sequence[str] | None) -> tuple[Iterable[str], str]:
    """The module whose command is asked for, and the action; all of them where a person needs to see the choices."""
    _, rest = _shared().parse_known_args(arguments)
    if rest == ["--version"]:
        return (), ""
    modules = [module for module, commands in COMMANDS.items() if rest and rest[0] in commands]
    return modules or COMMANDS, "".join(rest[1:2])


def _in_order(arguments: Sequence[str] | None) -> Sequence[str] | None:
    """What was typed as the parser takes it: the words of a search, also -without, behind the options."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    _, rest = _shared().parse_known_args(typed)
    if rest[:1] != ["search"]:
        return arguments
    place = next(at for at, each in enumerate(typed) if each == "search" and typed[at - 1 : at] != ["--home"]) + 1
    return [*typed[:place], *_module("search").query_last(typed[place:])]


def _printable(text: str) -> str:
    """What files and people wrote, without what would command a terminal; lines stay."""
    from lycosa.interface.shared.wording import printable

    return "\n".join(map(printable, text.split("\n")))


@contextmanager
def _printing() -> Iterator[None]:
    """Print what the terminal can show of everything; who closed a pipe, or has no room, is heard of here, once."""
    out = sys.stdout
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="replace")
    try:
        yield
    finally:
        try:
            if out is not None:
                out.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, out.fileno())  # what is left goes there at exit, where nobody could hear of it
            os.close(nowhere)
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code. What was typed runs in a process of its own where it reads stores."""
    _, rest = _shared().parse_known_args(arguments)
    if arguments is None and rest and rest[0] in READING:
        name = rest[1] if len(rest) > 1 and not rest[1].startswith("-") else "NAME"
        return command_process.apart(_run, f"run `lycosa check {_printable(name)}`")
    return _run(arguments)


def _run(arguments: Sequence[str] | None = None) -> int:
    """Run a command in this process."""
    try:
        with _printing():
            told = parser(*_asked(arguments)).parse_args(_in_order(arguments))
            told.typed = sys.argv[1:] if arguments is None else list(arguments)
            code: int = told.run(told)
    except Mendable as error:
        print(f"lycosa: {_printable(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return CLOSED_PIPE
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        if error.errno == ENOSPC:
            print(f"lycosa: {error.strerror}{_printable(place)}; make room, then try again", file=sys.stderr)
        else:
            told_why = _printable(f"{error.strerror or error}{place}")
            advice = "look at its rights" if error.errno in _RIGHTS else "choose another place"
            print(f"lycosa: {told_why}; {advice}, or choose --home", file=sys.stderr)
        return 2
    except (MemoryError, lmdb.MemoryError):
        print(f"lycosa: {NO_MEMORY}", file=sys.stderr)
        return 2
    except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError, lmdb.PanicError) as error:
        print(f"lycosa: a store is damaged ({error}); run `lycosa check NAME`", file=sys.stderr)
        return 2
    except lmdb.Error as error:
        print(f"lycosa: a store cannot be used: {error}; look at its rights, or choose --home", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
