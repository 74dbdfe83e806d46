"""The report: one HTML file that says what was found, shows it, and tells how to get it again.

`writing` is the way in. `page_parts` are what a report is made of, as plain data; `analysis` and
`before_after` fill them from a fit and from a change; `render` turns them into HTML, and only
templates hold markup.
"""

from bayesbias.report.folder_reading import load_results
from bayesbias.report.writing import write_report

__all__ = ["load_results", "write_report"]


def __dir__() -> list[str]:
    return __all__
