"""The compiled part and the description; everything else is in pyproject.toml."""

import re
import sys
from pathlib import Path

from setuptools import Extension, setup


def compiled(module: str) -> Extension:
    """A C file beside the Python modules, built once for all Python versions from 3.11 on."""
    return Extension(
        module,
        [f"src/{module.replace('.', '/')}.c"],
        depends=["src/truegain/little_endian.h"],
        py_limited_api=True,
        # no product and sum in one step, which ARM's compilers would make of them: every machine rounds alike.
        # Microsoft's compiler makes none either: /fp:precise, its default, contracts nothing since Visual Studio 2022
        # (before, only with /arch:AVX2 or on ARM, for which no wheel is built)
        extra_compile_args=["/std:c11"] if sys.platform == "win32" else ["-O3", "-std=c11", "-ffp-contract=off"],
    )


def description() -> str:
    """The README, whose pictures and links an index of packages finds at the source."""
    source = "https://github.com/truegain/truegain"
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:)", rf"\1{source}/raw/main/", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", rf"\1{source}/blob/main/", text)


MODULES = ("io._scan", "io._split", "sampling._copies", "sampling._deals", "text._words")

setup(
    ext_modules=[compiled(f"truegain.{module}") for module in MODULES],
    long_description=description(),
    long_description_content_type="text/markdown",
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
