"""Configuration of the documentation: `make docs` builds it without network and without warnings."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "tests")]
os.environ.setdefault("MPLBACKEND", "agg")

import sedcalc  # noqa: E402

project = "sedcalc"
author = "The sedcalc developers"
project_copyright = "The sedcalc developers"
version = release = sedcalc.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "generate",
]
root_doc = "index"
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.py", "examples/*.rst", "generated/parts"]
default_role = "py:obj"
today_fmt = ""

# A page is the same wherever it is built: nothing is fetched, and every example and notebook runs.
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
suppress_warnings = ["config.cache"]

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "thumbnail_size": (400, 280),
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "sedcalc"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["sedcalc.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {"text": f"sedcalc {release}"},
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "show_toc_level": 2,
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "install": [], "start": [], "limitations": [], "untrusted": [], "changelog": []}
