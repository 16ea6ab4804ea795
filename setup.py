"""The compiled part; everything else is in pyproject.toml."""

import sys

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


MODULES = ("io._scan", "io._split", "sampling._copies", "sampling._deals", "text._words")

setup(
    ext_modules=[compiled(f"truegain.{module}") for module in MODULES],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
