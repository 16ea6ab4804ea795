"""A plan of labels in words: what is known so far, what to buy, what there is already, and what the next batch is."""

from __future__ import annotations

from truegain.gains.judge import Judge
from truegain.inference.labels.plan import LabelPlan, Prospect, from_scratch, plan_labels
from truegain.inference.labels.prospect import Outlook
from truegain.tables.judgments import Judgments


def so_far(seen: Outlook, pair: str, measure: str, confidence: float, chosen_for: float | None) -> str:
    """The difference so far with its interval; and that a plan for it takes it as true."""
    low, high = seen.interval(confidence)
    p = seen.prospect
    gold = f"{p.gold_relevant + p.gold_nonrelevant:.0f} gold pairs that count"
    if p.gold_topic is not None:  # counted in topics: so many pairs are an average
        gold = f"{(p.gold_relevant + p.gold_nonrelevant) / p.gold_topic:.0f} of them judged as a whole"
    taken = " It takes the difference so far for the true one; say which matters to you (--detect)."
    return (
        f"So far {pair} is {seen.difference:+.4f} on {measure}, {confidence:.0%} interval {low:+.4f} to {high:+.4f} "
        f"({seen.test}), from {p.topics} topics{',' if p.gold_topic else ' and'} {gold}; "
        f"the plan is for that test.{taken if chosen_for is None else ''}"
    )


def to_buy(plan: LabelPlan, power: float, confidence: float) -> str:
    """The labels to buy, or that none are needed."""
    if not plan.cost:
        return (
            f"A true difference of {plan.difference:.4f} is found with {_percent(plan.power)} power by the labels "
            "there are; nothing needs to be bought."
        )
    return (
        f"To find a true difference of {plan.difference:.4f} with {power:.0%} power at {confidence:.0%} confidence: "
        f"{plan.topics} topics ({plan.new_bronze_labels} new bronze labels) and {plan.gold} gold pairs, "
        f"{plan.gold_relevant} relevant and {plan.gold_nonrelevant} not ({plan.new_gold_labels} new), for "
        f"{plan.cost:,.2f}; {plan.shares[1]:.0%} of the variance is left to the gold pairs."
    )


def _percent(power: float) -> str:
    return f"{power:.0%}" if power < 0.995 else "more than 99%"


def there_already(already: float, power: float) -> str:
    """The difference that the labels at hand find."""
    return f"The labels there are find differences of {already:.4f} or more with {power:.0%} power; these cost nothing."


def from_nothing(p: Prospect, wanted: float, power: float, confidence: float) -> str:
    """What the same plan would cost with nothing at hand."""
    plan = plan_labels(from_scratch(p), wanted, confidence=confidence, power=power)
    return (
        f"From nothing the cheapest way would be {plan.topics} topics and {plan.gold} gold pairs for {plan.cost:,.2f}."
    )


def about_batch(batch: Judgments | None, judge: Judge, plan: LabelPlan, asked: int | None) -> str:
    """What the next batch for the gold judge is, or why there is none."""
    if batch is None and not (asked or plan.new_gold_labels):
        return "No pair needs a gold label for this plan, so there is no next batch (--batch N draws one all the same)."
    if batch is None:
        return "There is no next batch: every pair that could be in it has a gold label; new topics must bring more."
    less = len(batch) < (asked or plan.new_gold_labels)
    more = ": all that are left, new topics must bring more" if less else ""
    how = {
        "topics": "all pairs of topics in random order",
        "by-bronze": "drawn from all labelled pairs, each bronze label as often as so far, in random order",
        "random": "drawn at random from all labelled pairs, so that they serve other systems too, in random order",
    }.get(judge.design, "drawn at random from what the two systems retrieved, in random order")
    return (
        f"The next batch for the gold judge has {len(batch)} pairs{more}; they are {how}, so that judging may stop "
        f"{'after any topic' if judge.design == 'topics' else 'anywhere'} (-o FILE writes them, label -1)."
    )
