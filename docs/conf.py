"""The documentation site. `make docs` builds it, with warnings as errors; it needs no network."""

import logging
import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Sphinx listens to every log; what solve tells of its progress is no news here.
logging.getLogger("piscm").setLevel(logging.WARNING)

project = "piscm"
author = "the authors of piscm"
version = release = installed("piscm")

extensions = [
    "api_page",
    "mathml",
    "offline",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
html_theme = "furo"
html_math_renderer = "mathml"
html_title = "piscm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
# A summary of what is found would be fetched from pages, which browsers refuse for files on disk.
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True}
templates_path = []
# Notebooks that the gallery offers for download are no pages.
exclude_patterns = [
    "_build",
    "gallery/**.ipynb",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "gallery/**/*.md5",
    "**/*.json",
]
source_suffix = {
    ".rst": "restructuredtext",
    ".md": "myst-nb",
    ".ipynb": "myst-nb",
    ".myst": "myst-nb",
}
nitpicky = False

# Pages whose code cells run. A failing cell fails the build.
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / "cells")
nb_execution_raise_on_error = True
nb_execution_timeout = 1200
nb_merge_streams = True
nb_remove_code_outputs = False
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache", "mystnb.unknown_mime_type"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_exclude = ".linenos, .gp, .go"

# GALLERY=0 does not run the examples, and leaves out their pictures: for a quick look at texts.
plot_gallery = os.environ.get("GALLERY", "1") != "0"
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"examples/[^/]+\.py$",
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "plot_gallery": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "subsection_order": [
        f"../examples/{name}" for name in ("ordinary", "partial", "shapes", "unknowns", "use")
    ],
    "min_reported_time": 10_000,
}
