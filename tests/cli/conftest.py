"""How tests run a command."""

import pytest

from bayesbias.cli import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder that commands run in; modules put files into one of their own."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def out(tmp_path):
    """What OUT in a command stands for."""
    return tmp_path / "out"


@pytest.fixture
def typed(files, out, monkeypatch):
    """Return a function that runs a command, as it is typed, to its end."""
    monkeypatch.chdir(files)

    def run(command):
        assert main(command.replace("OUT", str(out)).split()) == 0

    return run


@pytest.fixture
def printed(typed, capsys):
    """Return a function that runs a command and returns what it prints."""

    def run(command):
        typed(command)
        return capsys.readouterr().out

    return run
