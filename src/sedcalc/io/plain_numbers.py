"""Numbers in the text of a file, in the one way of writing them that every reader of the file takes for the same."""


def plain_number(text: str) -> float:
    """Return the number that a text says in ASCII digits.

    Parameters
    ----------
    text
        Such as ``"12.5"`` or ``"1e-3"``, blanks around it allowed.

    Raises
    ------
    ValueError
        If it is no number, or one in digits of another script (full-width, Arabic-Indic) or with ``_`` between digits:
        other programs read these otherwise or not at all.

    Examples
    --------
    >>> plain_number(" 12.5")
    12.5
    >>> plain_number("\uff11\uff12")  # full-width 12
    Traceback (most recent call last):
    ValueError: '\uff11\uff12' is not a number in plain digits
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"{text.strip()[:40]!r} is not a number in plain digits")
    return float(text)
