"""The compiled part; everything else is in pyproject.toml."""

import sys

from setuptools import Extension, setup


def compiled(module: str) -> Extension:
    """A C file beside the Python modules, built once for all Python versions from 3.11 on."""
    return Extension(
        module,
        [f"src/{module.replace('.', '/')}.c"],
        py_limited_api=True,
        extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-std=c11"],
    )


MODULES = ("tables._scan", "tables._split", "sampling._copies", "text._words")

setup(
    ext_modules=[compiled(f"truegain.{module}") for module in MODULES],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
