"""The compiled part; everything else is in pyproject.toml."""

import sys

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "truegain.tables._scan",
            ["src/truegain/tables/_scan.c"],
            py_limited_api=True,
            extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-std=c11"],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
