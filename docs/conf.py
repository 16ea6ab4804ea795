"""The site: Sphinx with MyST, numpydoc and the pydata theme.  `make site` builds it into build/site.

Pages under `reference` that describe commands, Python names, measures, study files and errors are written from the code
before each build (`tools/reference.py`), into folders that git ignores.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # tools.reference; truegain itself is installed

from tools.reference import write_reference  # noqa: E402

from truegain import __version__  # noqa: E402

write_reference(HERE / "reference")

project = "truegain"
author = "The truegain developers"
copyright = f"{datetime.now(UTC).year}, {author}"  # noqa: A001
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["notebooks", "**/.ipynb_checkpoints"]
nitpicky = True
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
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "github_url": "https://github.com/truegain/truegain",
    "navigation_with_keys": False,
    "show_prev_next": True,
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


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line, as MathML, which browsers draw without a script."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on lines of its own; a wide one scrolls by itself, and by keyboard."""
    formula = tex2mathml(node.astext(), as_block=True)
    self.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Draw formulas without MathJax, which would come from another host or weigh 2 MB."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
