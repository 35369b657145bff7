"""The site of the documentation: ``sphinx-build -W docs build/site``.

The Markdown files are what people read in the repository too, so they hold little that only Sphinx
understands. Above all the order of the pages stands in one place, the lists of `index.md`: what a
section of it links to is made the table of contents of the site by `add_contents`.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import tapeless  # noqa: E402

project = "tapeless"
author = "The tapeless authors"
copyright = author
version = release = tapeless.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst", "sg_execution_times.rst"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
# What the modules of `tapeless.interop` stand beside need not be installed to document them.
autodoc_mock_imports = ["dask", "jax", "pandas", "sklearn", "torch", "xarray"]
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"tapeless {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#7a3e00",
        "color-brand-content": "#8a4600",
        "color-brand-visited": "#6b3a6b",
    },
    "dark_css_variables": {
        "color-brand-primary": "#ffb86b",
        "color-brand-content": "#ffb86b",
        "color-brand-visited": "#d7a3d7",
    },
}

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "show_memory": False,
    "min_reported_time": 60,
    "write_computation_times": False,
}

SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.MULTILINE)
PAGE = re.compile(r"\[(?P<label>[^\]]+)\]\((?P<path>[^):#]+)\)")
GALLERY = "../examples/gallery/"  # in the repository a folder, on the site the page made of it


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give the first page a table of contents for each of its lists of links."""
    if docname != app.config.root_doc:
        return
    text = source[0].replace(f"]({GALLERY})", "](gallery/index.rst)")
    tables = []
    for section in SECTION.finditer(text):
        entries = [
            f"{label[0].upper()}{label[1:]} <{path.rpartition('.')[0]}>"
            for label, path in PAGE.findall(section["body"])
        ]
        if entries:
            head = ["```{toctree}", ":hidden:", f":caption: {section['title']}", ""]
            tables.append("\n".join([*head, *entries, "```"]))
    source[0] = "\n\n".join([text, *tables])


def write_inline_math(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a sentence as MathML, which browsers show without any script."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_math_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register what this file adds to Sphinx."""
    app.connect("source-read", add_contents)
    app.add_html_math_renderer("mathml", (write_inline_math, None), (write_math_block, None))
