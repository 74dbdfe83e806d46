"""How results are shown: the narrator, tables as text and HTML, figures and the page."""
