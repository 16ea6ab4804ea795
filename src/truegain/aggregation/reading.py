"""How a table of ratings is read: what a user may say of it, on the command line or in a study file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from truegain.config import OutOfRange, Repeated
from truegain.data.judgments import Judgments
from truegain.io.file_options import Missing, file_options, values_of

if TYPE_CHECKING:
    from truegain.data.ratings import Scale

OF_ANY_JUDGMENTS = ("columns", "missing", "values")  # what is not about ratings alone


@dataclass(frozen=True, kw_only=True)
class RatingReading:
    """How a table of ratings is read, in plain words."""

    scale: str | None = None
    out_of_range: OutOfRange = "error"
    repeated: Repeated = "error"
    assessors: str | None = None
    columns: str | None = None
    missing: Missing = "refuse"
    separator: str | None = None
    values: str | None = None
    topic: str | None = None
    drop_assessors: str | None = None
    first: int | None = None

    def load(
        self,
        path: str,
        *,
        scale: Scale | None = None,
        words: bool = False,
        normalize: str | None = None,
        expert: str | None = None,
    ) -> Judgments:
        """Ratings as was asked; `words` of a nominal scale may stay words, where only sameness counts.

        normalize, expert: what `agree` would be given, for drop_assessors='flagged'.
        """
        from truegain.aggregation.assessors import (
            FLAGGED,
            chosen,  # here, as most commands read no ratings
        )
        from truegain.data.ratings import Scale, read_ratings

        declared = Scale.of(scale or self.scale)
        if declared.level == "nominal" and not words:
            declared = replace(declared, level=None)
        table = read_ratings(
            path,
            scale=declared,
            out_of_range=self.out_of_range,
            repeated=self.repeated,
            assessors=self.assessors.split(",") if self.assessors else None,
            columns=None if file_options().columns is not None else self.columns,  # a command is told of all its files
            missing=self.missing,
            separator=self.separator,
            values=values_of(self.values),
            topic=self.topic,
        )
        return chosen(
            table, drop_assessors=self.drop_assessors, first=self.first, normalize=normalize, scale=declared,
            expert=Judgments.of(expert) if expert and self.drop_assessors == FLAGGED else None,
        )  # fmt: skip

    @property
    def files(self) -> list[str]:
        """Files that are named."""
        from truegain.aggregation.assessors import FLAGGED

        return [] if self.drop_assessors in (None, FLAGGED) else [str(self.drop_assessors)]
