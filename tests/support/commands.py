"""The command line, called as the installed command calls it."""

from lineage_kit.cli import app, run


def call(capsys, *arguments):
    """Exit code, stdout and stderr of one command."""
    code = run(lambda: app([str(argument) for argument in arguments], standalone_mode=False))
    out, err = capsys.readouterr()
    return code, out, err
