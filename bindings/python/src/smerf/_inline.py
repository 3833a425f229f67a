"""A report that a notebook shows below the cell."""

from __future__ import annotations

import html
import os

from ._types import Path


class Report:
    """A page for the browser: a notebook shows it; `html` is the page, and `save` writes it.

    It comes from `DistanceForest.report` without a path.

    Parameters
    ----------
    page : str
        A page of HTML.
    height : int, default=800
        Of its frame in a notebook, in pixels.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 60)
    >>> report = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z).report(title="Radial")
    >>> type(report).__name__, "Radial" in report.html
    ('Report', True)
    """

    def __init__(self, page: str, height: int = 800) -> None:
        self.html = page
        self.height = height

    def save(self, path: Path) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where it goes.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "page.html")
        >>> smerf.Report("<p>hello</p>").save(path)
        >>> os.path.getsize(path)
        12
        """
        with open(os.fspath(path), "w", encoding="utf-8", newline="") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # A document of its own, whose style and scripts stay within; it asks nothing of the network. The browser compares the
        # script with its checksum, which it passes whatever the encoding of the notebook if the page is written in ASCII.
        page = html.escape(self.html, quote=True).encode("ascii", "xmlcharrefreplace").decode()
        return (
            f'<iframe srcdoc="{page}" width="100%" height="{int(self.height)}" '
            'style="border: 0" sandbox="allow-scripts allow-downloads" title="report"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report(<{len(self.html)} characters of HTML>)"
