"""Equations as MathML, which browsers draw themselves: no script, nothing to fetch, and a screen reader can read it."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError


def _mathml(latex: str, block: bool) -> str:
    try:
        return str(tex2mathml(latex.strip(), as_block=block))
    except MathError as error:
        raise ExtensionError(f"equation {latex!r}: {error}") from error


def inline(translator: Any, node: nodes.math) -> None:
    """Write an equation in a line of text."""
    translator.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def display(translator: Any, node: nodes.math_block) -> None:
    """Write an equation on a line of its own, with its number where it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="equation"))
    translator.body.append(_mathml(node.astext(), block=True))
    if node.get("number"):
        translator.body.append(f'<span class="eqno">({node["number"]})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under its name."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
