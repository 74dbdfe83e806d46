"""Templates of sentences and their cases: every macro, and every branch of one, has some."""

import ast
import re
from codeop import compile_command
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined, nodes
from jinja2.environment import Template

from bayesbias.support.text_tables import join_words
from bayesbias.support.wording import Wording

Given = tuple[Any, ...] | dict[str, Any]  # what a macro is given, by place or by name

Cases = Mapping[str, Sequence[tuple[Given, str]]]
"""By macro, what it is given and what it then says."""

_LONGEST = 25  # words of a sentence that is seen first


def cases(text: str, **known: Any) -> Cases:
    """Read cases as a page has them: a call of a macro, and below it, indented, what it says.

    Arguments, all by place or all by name, are literals, or the names of those that are `known`.
    """

    def value(node: ast.expr) -> Any:
        return known[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)

    found: dict[str, list[tuple[Given, str]]] = {}
    for block in re.split(r"^(?=\w)", text.strip(), flags=re.MULTILINE)[1:]:
        lines = block.splitlines()
        ends = (n for n in range(1, len(lines) + 1) if compile_command("\n".join(lines[:n])))
        end = next(ends)
        call = ast.parse("\n".join(lines[:end]), mode="eval").body
        named = {one.arg: value(one.value) for one in call.keywords}
        given = named or tuple(map(value, call.args))
        said = " ".join(" ".join(lines[end:]).split())
        found.setdefault(call.func.id, []).append((given, said))
    return found


def says(tell: Any, macro: str, given: Given) -> str:
    """Return what a macro says of a case."""
    said = tell(macro, **given) if isinstance(given, dict) else tell(macro, *given)
    return str(said)


def without_cases(tell: Wording, cases: Cases) -> list[str]:
    """Name the macros without a case, and the branches that no case takes.

    A branch is either side of an ``if``, also where nothing stands on one, and of an ``a if b``,
    and the rounds of a ``for``.
    """
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(join_words=join_words, **tell.filters)
    parsed = environment.parse((files(tell.package) / tell.name).read_text(encoding="utf-8"))
    macros = [one.name for one in parsed.find_all(nodes.Macro)]
    branches = [*_marked(parsed)]
    module = Template.from_code(environment, environment.compile(parsed), {}).module
    marked = "".join(
        says(lambda name, *a, **k: getattr(module, name)(*a, **k), macro, given)
        for macro, rows in cases.items()
        for given, _ in rows
    )
    taken = {int(found) for found in re.findall("\ue000([0-9]+)\ue001", marked)}
    lacking = [name for number, name in enumerate(branches) if number not in taken]
    return [*(name for name in macros if name not in cases), *lacking]


def each_case_of(kinds: Mapping[str, tuple[Wording, Cases]]) -> tuple[Callable, Callable]:
    """Return two tests: templates say what their cases have, and no branch is without a case."""

    @pytest.mark.parametrize(
        ("kind", "macro"), [(kind, macro) for kind, (_, cases) in kinds.items() for macro in cases]
    )
    def test_says(kind: str, macro: str) -> None:
        tell, cases = kinds[kind]
        for given, expected in cases[macro]:
            assert says(tell, macro, given) == expected

    @pytest.mark.parametrize("kind", kinds)
    def test_whole(kind: str) -> None:
        assert not without_cases(*kinds[kind])

    return test_says, test_whole


def too_long(said: str) -> list[str]:
    """Return the sentences of a text that have more words than a first screen may."""
    sentences = re.split(r"(?<=[.:?]) (?=[A-Z'\"])", said)
    return [one for one in sentences if len(one.split()) > _LONGEST]


def no_long_sentence(cases: Cases, macros: Iterable[str]) -> Callable:
    """Return a test: what these macros say in their cases has no long sentence."""

    @pytest.mark.parametrize("macro", macros)
    def test_short(macro: str) -> None:
        assert not [long for _, said in cases[macro] for long in too_long(said)]

    return test_short


def _marked(parsed: nodes.Template) -> Iterator[str]:
    """Have every branch say its number, and yield what it is called."""
    number = 0
    for macro in parsed.find_all(nodes.Macro):
        found = [*macro.find_all((nodes.If, nodes.For, nodes.CondExpr))]
        others = {id(one) for node in found for one in getattr(node, "elif_", ())}
        for node in found:
            for side in _sides(node, is_other=id(node) in others):
                mark = f"\ue000{number}\ue001"
                number += 1
                if isinstance(node, nodes.CondExpr):
                    said = getattr(node, side) or nodes.Const("")
                    setattr(node, side, nodes.Concat([nodes.Const(mark), said]))
                else:
                    getattr(node, side).insert(0, nodes.Output([nodes.TemplateData(mark)]))
                yield f"{macro.name}, line {node.lineno}: {side.strip('_')}"


def _sides(node: nodes.Node, *, is_other: bool) -> list[str]:
    """Return the fields that hold a node's branches; an ``elif`` has the ``else`` of its ``if``."""
    if isinstance(node, nodes.CondExpr):
        return ["expr1", "expr2"]
    if isinstance(node, nodes.For):
        return ["body", "else_"] if node.else_ else ["body"]
    return ["body"] if is_other else ["body", "else_"]
