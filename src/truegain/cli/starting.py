"""The first moments of the command line: until its command begins, Ctrl-C ends it at once, without a traceback.

Python's own handler would raise KeyboardInterrupt in whatever is being imported, which some of it prints and some of it
swallows.  Nothing is imported here that Python has not loaded by itself, for every import is a moment in which a user
may interrupt, and this is imported before all else.  What Python does before is out of reach.
"""

import _signal  # type: ignore[import-not-found]  # `signal` imports others
import sys

ASK_FOR_HELP = ("--help", "-h")  # the last word of a command line
PROGRAMS = ("truegain", "truegain.exe", "truegain-script.py")


def of_command(argv: list[str], whole: list[str]) -> bool:
    """Whether a process is a command's, by its words and those of Python, and not a program that uses the library.

    >>> of_command(["-m"], ["python", "-m", "truegain"]), of_command(["/bin/truegain"], ["python", "/bin/truegain"])
    (True, True)
    >>> of_command(["/bin/truegain"], ["python", "-c", "from multiprocessing.spawn import ..."]), of_command([""], [])
    (False, False)
    >>> of_command(["-m"], ["python", "-m", "ours.program"])
    False
    """
    if argv[:1] == ["-m"]:  # so it is while Python looks for the module, which may be another that imports us
        return "-m" in whole[:-1] and whole[whole.index("-m") + 1] == "truegain"
    return bool(argv) and argv[0].replace("\\", "/").rpartition("/")[2] in PROGRAMS and argv[0] in whole


def begin() -> None:
    """From here on Ctrl-C is KeyboardInterrupt, and a command tells what it leaves behind."""
    if quiet and _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


# where the user had Ctrl-C ignored (nohup) it stays so
quiet = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler and of_command(
    getattr(sys, "argv", []), sys.orig_argv
)
if quiet:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
