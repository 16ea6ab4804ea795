"""The site: Sphinx with MyST, numpydoc and the pydata theme.  `make site` builds it into build/site.

Pages under `reference` that describe commands, Python names, measures, study files and errors are written from the code
before each build (`tools/reference`), into folders that git ignores.
"""

from __future__ import annotations

import gc
import inspect
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from jinja2 import Template
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx
from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).parent
gc.set_threshold(100_000)  # trees of pages are garbage that is looked for: oftener, that takes a sixth of the build
sys.path.insert(0, str(HERE.parent))  # tools.reference; truegain itself is installed

from tools.reference import messages, write_reference  # noqa: E402
from tools.reference.api import PARTS  # noqa: E402

from truegain import __version__  # noqa: E402

write_reference(HERE / "reference")
messages.write(HERE / "_static")

project = "truegain"
author = "The truegain developers"
copyright = f"{datetime.now(UTC).year}, {author}"  # noqa: A001
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["notebooks", "**/.ipynb_checkpoints"]
nitpicky = True
smartquotes = False  # --rows is an option, and no dash
nitpick_ignore_regex = [
    ("py:.*", r"(abc|collections|msgspec|unittest|typing)\..*"),
    ("py:obj", r"truegain\..*\.Answer"),
]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# No page asks another host for anything: formulas are MathML, fonts and search are the theme's own.
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "truegain"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # light or dark as the reader's system is
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "github_url": "https://github.com/truegain/truegain",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "collapse_navigation": True,  # else every page holds the list of all pages
    "navigation_depth": 3,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line, as MathML, which browsers draw without a script."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on lines of its own; a wide one scrolls by itself, and by keyboard."""
    formula = tex2mathml(node.astext(), as_block=True)
    self.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n')
    raise nodes.SkipNode


LONG = 100  # characters of a default
PROSE = ("Notes", "References")  # sections of a docstring that are text; others are lists of names


def literal(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:  # noqa: ARG001
    """Keep formulas of docstrings as they are: indented lines below a sentence are literal, and bars are bars."""
    made: list[str] = []
    prose, inside = True, False
    for i, line in enumerate(lines):
        if re.fullmatch(r"-{3,}", line) and i:
            prose = lines[i - 1] in PROSE
        indented = prose and line.startswith("    ")
        if indented and not inside:
            made += [*([""] if made and made[-1] else []), "::", ""]
        if inside and line and not indented:
            made += [] if made[-1] == "" else [""]
        inside = indented or (inside and not line)
        escaped = re.sub(r"(?<![\\`])\|(?!`)", r"\|", line) if prose and not indented else line
        made.append(escaped)
    lines[:] = made


class Dots:
    """A default that is too long to read."""

    def __repr__(self) -> str:
        return "..."


def readable(
    app: Sphinx,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    thing: Any,
    options: object,  # noqa: ARG001
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Show defaults of many words, which are objects, as three dots."""
    if signature is None or len(signature) < LONG or not inspect.isfunction(thing):
        return signature, returns
    found = inspect.signature(thing)
    shown = [
        p.replace(
            annotation=p.empty,
            default=Dots() if len(repr(p.default)) > LONG and p.default is not p.empty else p.default,
        )
        for p in found.parameters.values()
    ]
    return str(found.replace(parameters=shown, return_annotation=found.empty)), returns


class KeptTemplates(SandboxedEnvironment):
    """Templates that are compiled once; numpydoc would compile its own for each of a thousand docstrings."""

    kept: ClassVar[dict[str, Template]] = {}

    def get_template(self, name: str | Template, *args: Any, **words: Any) -> Template:
        """The template of this name."""
        if isinstance(name, Template):
            return name
        if name not in self.kept:
            self.kept[name] = super().get_template(name, *args, **words)
        return self.kept[name]


docscrape_sphinx.SandboxedEnvironment = KeptTemplates


def kept_stems(stem: Callable[[SearchEnglish, str], str]) -> Callable[[SearchEnglish, str], str]:
    """What words begin with, each found once; Sphinx would find it once a page."""
    by_word: dict[str, str] = {}

    def kept(self: SearchEnglish, word: str) -> str:
        if word not in by_word:
            by_word[word] = stem(self, word)
        return by_word[word]

    return kept


SearchEnglish.stem = kept_stems(SearchEnglish.stem)  # type: ignore[method-assign]


MENDED = (  # what axe-core finds in the theme and in docutils: names of buttons, and roles that do not fit
    (r'(<button[^>]*class="[^"]*search-button-field[^>]*?)\s+aria-label="Search"', r"\1"),
    (r'<summary>(?=\s*<span class="toctree-toggle")', '<summary aria-label="Pages below">'),
    (r'<div role="list" class="citation-list">', '<div class="citation-list">'),
    (r' role="doc-biblioentry"', ""),
)


def mend(app: Sphinx, failed: Exception | None) -> None:
    """Make pages readable by screen readers where templates of others are not."""
    for path in () if failed or app.builder.format != "html" else Path(app.outdir).rglob("*.html"):
        text = made = path.read_text(encoding="utf-8")
        for found, instead in MENDED:
            made = re.sub(found, instead, made)
        if made != text:
            path.write_text(made, encoding="utf-8")


def find_messages(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:  # noqa: ARG001
    """Have the search page, and no other, read the messages of all errors and the questions that pages answer."""
    if page == "search":
        app.add_js_file(messages.FILE)
        app.add_js_file("search-pages.js")
        app.add_js_file("search-messages.js")


def whole(app: Sphinx, name: str, thing: object, options: object, bases: list[type]) -> None:  # noqa: ARG001
    """A class that is written in two parts has the bases of its first part."""
    bases[:] = [one for base in bases for one in (base.__bases__ if base.__name__ in PARTS else (base,))]


def setup(app: Sphinx) -> None:
    """Draw formulas without MathJax, which would come from another host or weigh 2 MB; let the search find messages."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    app.connect("build-finished", mend)
    app.connect("html-page-context", find_messages)
    app.connect("autodoc-process-signature", readable)
    app.connect("autodoc-process-bases", whole)
    app.connect("autodoc-process-docstring", literal, priority=400)  # before numpydoc, which reads the sections
