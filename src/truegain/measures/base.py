"""What a measure is: a small value that prints as it parses and turns ranked gains into scores."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.errors import MeasureError, TruegainError
from truegain.io.columns import Bools, Floats
from truegain.settings import LARGEST

Gains = tuple[tuple[float, float], ...]
Mean = Literal["arithmetic", "geometric", "total", "none"]
FLOOR = 0.00001  # the least value whose logarithm a geometric mean takes, as trec_eval's gm_ measures


def _are_gains(value: object) -> bool:
    """Whether a value is a table label -> gain, or none."""
    pairs = () if value is None else value
    return isinstance(pairs, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(x, Real) for x in pair) for pair in pairs
    )


class MeasureType(ABCMeta):
    """Lets a bare class stand for its default: `nDCG@10` is `nDCG()@10`."""

    def __matmul__(cls, at: float) -> Measure:
        return cast("Measure", cls() @ at)


@dataclass(frozen=True, kw_only=True, repr=False)
class Measure(metaclass=MeasureType):
    """A measure with its parameters; equal parameters make equal measures.

    A new measure is a frozen dataclass with `per_topic`, or without own parameters a plain subclass of one; see
    CONTRIBUTING.md.

    Attributes
    ----------
    NAME : str
        Its name, as it prints.
    AT : str or None
        The parameter that ``@`` sets, such as 'cutoff'.
    NEEDS_AT : bool
        Whether it must be given.
    mean : {'arithmetic', 'geometric', 'total', 'none'}
        How the values of topics become one.
    linear_in_gains : bool
        Whether it is the sum over documents of ``rank_weights(...)[rank - 1] * worth(label)``.
    of_subtopics : bool
        Whether it reads labels of subtopics.
    unjudged_as_zero : bool
        Whether an unjudged document counts like one that is not relevant.
    cascades : bool
        Whether a gain is a chance to stop, relative to the highest gain there is.
    reads_text : bool
        Whether it needs a corpus.

    Examples
    --------
    >>> from truegain.measures.dcg import nDCG
    >>> nDCG(dcg="exp-log2")@10
    nDCG(dcg='exp-log2')@10
    """

    NAME: ClassVar[str] = ""
    AT: ClassVar[str | None] = "cutoff"  # the field that @ sets
    NEEDS_AT: ClassVar[bool] = False
    mean: ClassVar[Mean] = "arithmetic"  # how the topics' values become one: their mean, or their sum (a count)
    linear_in_gains: ClassVar[bool] = False  # the sum over documents of rank_weights(...)[rank - 1] * worth(label)
    of_subtopics: ClassVar[bool] = False
    unjudged_as_zero: ClassVar[bool] = True  # an unjudged document counts like one that is not relevant
    cascades: ClassVar[bool] = False  # a gain is a chance to stop, by the highest gain there is
    reads_text: ClassVar[bool] = False  # needs a corpus, and the documents down to its cutoff by name

    @abstractmethod
    def per_topic(self, ranked: RankedGains) -> npt.NDArray[Any]:
        """Score every list.

        Parameters
        ----------
        ranked : RankedGains
            Ranked gains of systems by topics.

        Returns
        -------
        ndarray
            One value a list.
        """

    # ------------------------------------------------------------------ what it is

    if not TYPE_CHECKING:  # the parameters are those of each measure

        def __new__(cls, *values: object, **named: object) -> Self:  # noqa: ARG004
            """A measure that knows whether `rel` is named, be it as by default."""
            return super().__new__(cls).with_own_rel("rel" in named)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "NAME" not in cls.__dict__:
            cls.NAME = cls.__name__

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Mapping):
                with suppress(TypeError, ValueError):  # told below
                    pairs = tuple(sorted((float(k), float(v)) for k, v in value.items()))
                    object.__setattr__(self, field.name, pairs)
            if field.type == "Gains | None" and not _are_gains(getattr(self, field.name)):
                raise MeasureError(f"{self.NAME}: {field.name} is {value!r}; give a table, as {field.name}={{1:1,2:3}}")
        cutoff = getattr(self, "cutoff", None)
        if cutoff is not None and (isinstance(cutoff, bool) or not isinstance(cutoff, int) or cutoff < 1):
            raise MeasureError(f"{self.NAME}@{cutoff}: the cutoff must be a whole number of at least 1")
        if cutoff is not None and cutoff > LARGEST:
            raise MeasureError(f"{self.NAME}@{cutoff}: the cutoff must be at most {LARGEST:,}")
        self.check()

    def check(self) -> None:
        """Refuse parameters that make no sense."""

    def require(self, sound: bool, what: str) -> None:
        """Raise a `MeasureError` unless a parameter is sound.

        Parameters
        ----------
        sound : bool
            Whether it is.
        what : str
            What must hold.
        """
        if not sound:
            raise MeasureError(f"{self}: {what}")

    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that a topic can have.

        Returns
        -------
        low, high : float
            0 and 1 unless the measure says otherwise.
        """
        return 0.0, 1.0

    def rank_weights(self, depth: int) -> Floats:  # noqa: ARG002
        """What a document counts at each rank, for measures linear in gain.

        Parameters
        ----------
        depth : int
            Down to which rank.

        Returns
        -------
        ndarray of float
            One weight a rank.
        """
        raise MeasureError(
            f"{self} is not linear in gain: it is not a weighted sum of the documents' gains; use P, CG, DCG, SDCG "
            "or RBP"
        )

    def entry_weights(self, ranked: RankedGains) -> Floats | None:  # noqa: ARG002
        """What each document of each list counts, for measures linear in gain whose weights are not those of ranks.

        Parameters
        ----------
        ranked : RankedGains
            The lists.

        Returns
        -------
        ndarray of float or None
            One weight an entry; None where `rank_weights` has them.
        """
        return None

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:  # noqa: ARG002
        """What documents with some labels are worth, for measures linear in gain.

        Parameters
        ----------
        label : ndarray of float
            The labels.
        judged : ndarray of bool, optional
            Which of them were judged; by default those that are not negative.

        Returns
        -------
        ndarray of float
            One number a label.
        """
        raise MeasureError(
            f"{self} is not linear in gain: it is not a weighted sum of the documents' gains; use P, CG, DCG, SDCG "
            "or RBP"
        )

    def __matmul__(self, at: float) -> Self:
        if self.AT is None:
            raise MeasureError(f"{self.NAME} takes no cutoff; write {self.NAME}")
        return replace(self, **{self.AT: at}).with_own_rel(self.has_own_rel)

    @property
    def has_own_rel(self) -> bool:
        """Whether it was given `rel`, as 'P(rel=1)@10' was; no matter of equality, nor of how it prints."""
        return getattr(self, "_own_rel", False)

    def with_own_rel(self, own: bool) -> Self:
        """The measure, knowing whether it was given `rel`.

        Parameters
        ----------
        own : bool
            Whether it does.

        Returns
        -------
        Measure
            The measure itself.
        """
        object.__setattr__(self, "_own_rel", own)
        return self

    def in_order(self, names: Sequence[str]) -> Self:
        """The measure, printing some parameters first, so that a text comes back as it was written.

        Parameters
        ----------
        names : sequence of str
            The parameters.

        Returns
        -------
        Measure
            The measure itself.
        """
        object.__setattr__(self, "_written", tuple(names))
        return self

    def __str__(self) -> str:
        default = {f.name: f.default for f in fields(self)}
        names = dict.fromkeys((*getattr(self, "_written", ()), *default))
        parameters = [
            f"{name}={_shown(getattr(self, name))}"
            for name in names
            if name != self.AT and getattr(self, name) != default[name]
        ]
        at = getattr(self, self.AT) if self.AT else None
        listed = f"({','.join(parameters)})" if parameters else ""
        return f"{self.NAME}{listed}{'' if at is None else f'@{_shown(at)}'}"

    __repr__ = __str__

    def within(self, rank: npt.NDArray[Any]) -> Bools:
        """Which ranks the cutoff lets in.

        Parameters
        ----------
        rank : ndarray of int
            The ranks, from 1.

        Returns
        -------
        ndarray of bool
            All of them without a cutoff.
        """
        cutoff = getattr(self, "cutoff", None)
        return np.ones(len(rank), np.bool_) if cutoff is None else rank <= cutoff

    @property
    def leaves_out_unjudged(self) -> bool:
        """Whether unjudged documents play no part, rather than counting like those that are not relevant."""
        return not self.unjudged_as_zero or bool(getattr(self, "judged_only", False))

    @property
    def needs_pool(self) -> bool:
        """Whether labels of documents that a list does not show it count, as in the R of AP; taken so where not told.

        No label is above the highest there is, so that max_rel='scale' stays what it is.
        """
        return not self.linear_in_gains or getattr(self, "max_rel", None) == "topic"

    @property
    def needs_judged(self) -> bool:
        """Whether a list without a judged document has no value worth telling; counts and shares of them have one."""
        return not self.reads_text

    # ------------------------------------------------------------------ scoring

    def score(self, ranked: RankedGains) -> npt.NDArray[Any]:
        """Score all systems on all topics.

        Parameters
        ----------
        ranked : RankedGains
            Ranked gains of systems by topics.

        Returns
        -------
        ndarray
            Systems by topics; NaN where a system has no answer to a topic.
        """
        if self.NEEDS_AT and self.AT and getattr(self, self.AT) is None:
            raise MeasureError(f"{self.NAME} needs a {self.AT}; write {self.NAME}@{0.1 if self.AT == 'recall' else 10}")
        view = ranked
        if getattr(self, "judged_only", False):
            view = ranked.condensed_facets if self.of_subtopics else ranked.condensed
        try:
            values = self.per_topic(view)
        except TruegainError:
            raise
        except Exception as error:
            raise self._fault(view, error) from error
        values = np.where(ranked.present, values, np.array(None, object) if values.dtype == object else np.nan)
        return values.reshape(len(ranked.systems), len(ranked.topics))

    def _fault(self, ranked: RankedGains, error: Exception) -> MeasureError:
        """Which system and topic a measure fails on: its lists are scored one by one until it fails again."""
        reason = f"{type(error).__name__}: {error}"
        for number in np.flatnonzero(ranked.present).tolist():
            try:
                self.per_topic(ranked.one(number))
            except Exception:
                system, topic = divmod(number, len(ranked.topics))
                place = f"system {ranked.systems[system]}, topic {ranked.topics[topic]}"
                return MeasureError(f"{self} failed on {place}: {reason}", remedy="correct its per_topic")
        return MeasureError(
            f"{self} failed on all lists together, though on none alone: {reason}", remedy="correct its per_topic"
        )

    def absent(self, ranked: RankedGains) -> Floats:
        """What a topic without an answer counts, where all topics must count.

        Parameters
        ----------
        ranked : RankedGains
            Ranked gains of systems by topics.

        Returns
        -------
        ndarray of float
            One value a topic.
        """
        return np.zeros(len(ranked.topics))

    def defined(self, ranked: RankedGains) -> npt.NDArray[np.bool_]:
        """The topics that have something to find.

        Parameters
        ----------
        ranked : RankedGains
            Ranked gains of systems by topics.

        Returns
        -------
        ndarray of bool
            One a topic.
        """
        if self.of_subtopics:
            facets, level = ranked.facets, float(getattr(self, "rel", None) or np.nextafter(0, 1))
            good = ranked.pool.topic[facets.item[facets.label >= level]]
            return np.bincount(good, minlength=len(ranked.topics)) > 0
        return ranked.pool_relevant(getattr(self, "rel", None) or np.nextafter(0, 1)) > 0

    def summarize(self, values: Floats, ranked: RankedGains, complete: bool) -> Floats:  # noqa: ARG002
        """One value a system, from its topics that have a value.

        Parameters
        ----------
        values : ndarray of float
            Systems by topics.
        ranked : RankedGains
            Ranked gains of systems by topics.
        complete : bool
            Whether all judged topics count.

        Returns
        -------
        ndarray of float
            The mean or total, as `mean` declares.
        """
        if self.mean == "geometric":
            return geometric_mean_of_rows(values)
        if self.mean == "total":
            return np.asarray(np.nansum(values, axis=1), np.float64)
        return mean_of_rows(values)


@dataclass(frozen=True, kw_only=True, repr=False)
class Binary(Measure):
    """A measure that asks of each document only whether it was judged and its label reaches `rel`."""

    rel: float = 1
    judged_only: bool = False

    def check(self) -> None:
        """A negative level would make unjudged documents relevant."""
        self.require(self.rel >= 0, "rel must not be negative")


def mean_of_rows(values: Floats) -> Floats:
    """Mean over the values that are there; missing where there are none."""
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    # added one by one, in topic order, as trec_eval does
    totals = np.add.accumulate(np.where(there, values, 0.0), axis=1)[:, -1:].sum(axis=1)
    means: Floats = np.divide(totals, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return means


def geometric_mean_of_rows(values: Floats) -> Floats:
    """Geometric mean over the values that are there, each at least FLOOR, as trec_eval's gm_ measures."""
    return np.exp(mean_of_rows(np.log(np.maximum(values, FLOOR))))


def ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Quotient, and 0 where there is nothing to divide by."""
    out: Floats = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)
    return out


def _shown(value: object) -> str:
    if isinstance(value, Measure):
        return repr(str(value))
    if isinstance(value, tuple):
        return "{" + ",".join(f"{_whole(k)}:{_whole(v)}" for k, v in value) + "}"
    return repr(value)


def _whole(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
