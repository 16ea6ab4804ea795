"""Labels by language models: any OpenAI-compatible server is asked, each answer is kept and used again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegain.lazy import loaded

if TYPE_CHECKING:
    from truegain.llm.judge import JudgeCosts, JudgeSetup, run_judge
    from truegain.llm.labels import JudgeRun
    from truegain.llm.plan import Asking
    from truegain.llm.prompts import Prompt, read_prompt
    from truegain.llm.run import Pace

__all__ = [
    "Asking",
    "JudgeCosts",
    "JudgeRun",
    "JudgeSetup",
    "Pace",
    "Prompt",
    "read_prompt",
    "run_judge",
]

_LAZY = {  # by the module that has it
    "Asking": "truegain.llm.plan",
    "JudgeCosts": "truegain.llm.judge",
    "JudgeRun": "truegain.llm.labels",
    "JudgeSetup": "truegain.llm.judge",
    "Pace": "truegain.llm.run",
    "Prompt": "truegain.llm.prompts",
    "read_prompt": "truegain.llm.prompts",
    "run_judge": "truegain.llm.judge",
}


def __dir__() -> list[str]:
    """The public names and no others."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _LAZY, name)
