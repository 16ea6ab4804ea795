"""The command `truegain cite`: whom to cite for what a command computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from truegain.cli.options import Measures, Output
from truegain.errors import TruegainError, there_are

# ---- The papers behind each command, by their keys in report/references.py.

STUDY = ("efron1981", "satterthwaite1946", "cameron2011")  # variance over topics, assessors and gold labels
GOLD = ("goldberg2018", "angelopoulos2023")
RANKS = ("almohamad2018", "westfall1993")
SEQUENTIAL = ("waudbysmith2024", "waudbysmith2024b")
LIST = ("raj1956", "rosen1997")  # lists that are drawn with unequal probabilities
VERDICT = (*STUDY, *GOLD, *RANKS, *SEQUENTIAL)
COLLECTION = ("cormack2006",)
CONTENT = ("hui2017",)
UNANIMITY = ("sakai2017",)
MAGNITUDES = ("maddalena2017",)
PAPERS_OF: dict[str, tuple[str, ...]] = {
    "eval": ("buckley2005", "aslam2007", *COLLECTION, "wilson1927", "student1908"),
    "correct": (*GOLD, "rogan1978", "lang2014"),
    "judge check": (*GOLD[:1], "rogan1978", "newcombe1998"),
    "judge run": (),
    "compare": (
        "student1908", "smucker2007", "sakai2006", "carterette2012", *GOLD, *COLLECTION,
    ),
    "verdict": VERDICT,
    "settle": (*SEQUENTIAL, "waudbysmith2020", "shekhar2023", *LIST, *STUDY, "angelopoulos2023"),
    "report": (*VERDICT, "hayes2007"),
    "participants": STUDY,
    "doctor": (),
    "init": (),
    "gate": VERDICT,
    "correlate": ("kendall1948", "yilmaz2008", "urbano2017", "webber2010", "voorhees2002"),
    "agree": ("hayes2007", "fleiss1971", "cohen1968"),
    "aggregate": ("dawid1979", "whitehill2009", "hovy2013", *UNANIMITY, *MAGNITUDES),
    "plan topics": ("sakai2016", "sakai2018"),
    "plan labels": (*GOLD, SEQUENTIAL[1], *LIST),
    "plan fill": (),
    "plan assessors": MAGNITUDES,
    "plan preferences": ("bradley1952", "angelopoulos2023b"),
    "experiment judge": GOLD[:1],
    "experiment magnitudes": MAGNITUDES,
    "experiment unanimity": UNANIMITY,
    "experiment unanimity-grid": UNANIMITY,
    "experiment split-half": COLLECTION,
    "experiment incomplete": CONTENT,
    "experiment disjoint": CONTENT,
    "experiment discriminative": ("sakai2006",),
    "experiment spending": ("aslam2006", "carterette2006"),
    "unjudged": (
        "moffat2008", "buckley2004", "sakai2007", "yilmaz2006", "aslam2006", "carterette2006", *LIST,
    ),
    "text index": CONTENT,
    "text show": (),
    "text rank": (),
    **{f"annotate {word}": MAGNITUDES for word in ("init", "check", "serve", "demo")},
    **{f"annotate {word}": () for word in ("invite", "status", "export", "withdraw", "key", "password")},
    "measures": (),
    "cite": (),
    "schema": (),
    "demo": (),
}  # fmt: skip


def papers_of(command: str) -> tuple[str, ...] | None:
    """The keys of the papers behind a command; of a group of commands, those of all in it; None of what is none.

    >>> papers_of("plan topics"), papers_of("plan tpics")
    (('sakai2016', 'sakai2018'), None)
    """
    inside = [keys for name, keys in PAPERS_OF.items() if name == command or name.startswith(f"{command} ")]
    return tuple(dict.fromkeys(key for keys in inside for key in keys)) if inside else None


def commands_in(words: Sequence[str]) -> list[str]:
    """The commands that words name, some of two words; a word that names none stays with the group before it.

    >>> commands_in(["gate", "plan", "topics", "plan", "compare"]), commands_in(["plan", "tpics"])
    (['gate', 'plan topics', 'plan', 'compare'], ['plan tpics'])
    """
    commands: list[str] = []
    for word in words:
        both = f"{commands[-1]} {word}" if commands else ""
        is_group = bool(commands) and commands[-1] not in PAPERS_OF and papers_of(commands[-1]) is not None
        if both in PAPERS_OF or (is_group and papers_of(word) is None):
            commands[-1] = both
        else:
            commands.append(word)
    return commands


def cite_command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND...]", help="Commands, such as verdict or plan topics. Each reference is printed once."
        ),
    ] = None,
    measure: Measures = None,
    output_format: Annotated[
        Literal["bibtex", "text"], typer.Option("--format", help="BibTeX, or one line for each reference.")
    ] = "bibtex",
    output: Output = "-",
) -> None:
    """Print what to cite: truegain, and the papers behind its commands.

    Without a command, prints the reference of truegain alone. Includes papers that a command uses only with some
    options; keep those that you used. The report of a study lists exactly the papers behind that study.

    Examples:
        truegain cite gate compare plan topics
        truegain cite eval -m nDCG@10 --format text

    """
    from truegain.io.files import write_bytes
    from truegain.report.references import PAPERS, itself

    keys = [key for command in commands_in(words or ()) for key in _of_command(command)]
    if measure:
        from truegain.measures.catalogue import parse_measures
        from truegain.report.citations import form_of

        keys += [key for one in parse_measures(measure) for key in form_of(one.measure).cites]
    cited = [itself(), *(PAPERS[key] for key in dict.fromkeys(keys))]
    if output_format == "text":
        text = "\n".join(p.cited + (f" doi:{p.doi}" if p.doi else "") for p in cited)
    else:
        text = "\n\n".join(p.bibtex for p in cited)
    write_bytes(output, f"{text}\n".encode())


def _of_command(command: str) -> tuple[str, ...]:
    keys = papers_of(command)
    if keys is None:
        inside = [name for name in PAPERS_OF if name.startswith(f"{command.partition(' ')[0]} ")]
        names = inside or list(dict.fromkeys(name.partition(" ")[0] for name in PAPERS_OF))
        raise TruegainError(f"{command} is not a command of truegain; {there_are([command], names, 40)}")
    return keys
