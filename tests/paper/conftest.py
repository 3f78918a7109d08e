"""What the tests of the paper's experiments share."""

import pytest
from typer.testing import CliRunner

from piscm.cli import app


@pytest.fixture
def run():
    """``run(*arguments)``: what the command line does; what it does not catch is raised."""

    def invoke(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke
