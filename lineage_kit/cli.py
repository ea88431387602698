"""The command line: ask a question of Parquet files from a terminal or a script."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from lineage_kit import LineageKitError, RelationStore, __version__
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.view.summary import summary_of
from lineage_kit.view.terminal import show_result

app = typer.Typer(
    name="lineage-kit",
    help="Trace an agent's decision back to its premises, and see whether they still stand.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[
    list[str],
    typer.Option(
        "--data",
        "-d",
        metavar="FILE",
        help="Relations: a Parquet file, a glob, or a folder. May be given several times.",
    ),
]
Items = Annotated[
    str | None,
    typer.Option("--items", metavar="FILE", help="What the nodes are called: a Parquet file with type, id, label."),
]
Columns = Annotated[
    list[str],
    typer.Option("--column", metavar="OLD=NEW", help="Rename a column of the data, e.g. --column from_id=source_id."),
]
Kinds = Annotated[
    list[str],
    typer.Option("--kind", metavar="OLD=NEW", help="Map a relation kind of the data, e.g. --kind BASED_ON=depends_on."),
]
SourceType = Annotated[
    str | None,
    typer.Option("--source-type", metavar="TYPE", help="The type of every source, if there is no such column."),
]
TargetType = Annotated[
    str | None,
    typer.Option("--target-type", metavar="TYPE", help="The type of every target, if there is no such column."),
]


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Trace an agent's decision back to its premises, and see whether they still stand."""
    if version:
        print(f"lineage-kit {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def trace(
    type: Annotated[str, typer.Argument(help="The type of the item, e.g. decision.")],
    id: Annotated[str, typer.Argument(help="The id of the item, e.g. d42.")],
    data: Data,
    items: Items = None,
    max_depth: Annotated[
        int, typer.Option("--max-depth", metavar="N", help="Levels to walk, from 1 to the limit.")
    ] = 5,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of", metavar="TIME", help="See the relations as of this instant, e.g. 2026-03-01T12:00:00Z."
        ),
    ] = None,
    supersede_limit: Annotated[
        int, typer.Option("--supersede-limit", metavar="N", help="Replacement hops to follow per level.")
    ] = 10,
    max_depth_limit: Annotated[
        int, typer.Option("--max-depth-limit", metavar="N", help="The largest --max-depth allowed.")
    ] = 10,
    draw: Annotated[int, typer.Option("--draw", metavar="N", help="Nodes to draw; 0 draws all of them.")] = 200,
    column: Columns = [],  # noqa: B006
    kind: Kinds = [],  # noqa: B006
    source_type: SourceType = None,
    target_type: TargetType = None,
) -> None:
    """Show what an item rests on, as a tree.

    Each line tells depth, kind, class, confidence, and flags in words.

    Example: lineage-kit trace rfc RFC2616 --data data/rfc_relations.parquet
    """
    store = RelationStore.open(
        data,
        items=items,
        columns=_pairs("--column", column),
        kinds=_pairs("--kind", kind),
        source_type=source_type,
        target_type=target_type,
        max_depth_limit=max_depth_limit,
        supersede_limit=supersede_limit,
    )
    _show(store.trace_lineage(type, id, max_depth, as_of=as_of), draw)


@app.command()
def demo() -> None:
    """Trace real data that comes with the package."""
    console = _console()
    steps: list[tuple[str, str, str, str, dict[str, Any], str]] = [
        ("RFC 2616 defined HTTP/1.1. Which documents stand in its place today?", "rfc", "RFC2616", "rfc", {},
         "Those without the word SUPERSEDED: nothing replaces RFC9110, RFC9111 and RFC9112."),
        ("RFC 1083 began the list of Internet standards, revised again and again.", "rfc", "RFC1083", "rfc", {},
         "The chain is longer than ten hops. The cut is said, and the frontier says where to look on."),
        ("The same question, with room for the whole chain.", "rfc", "RFC1083", "rfc", {"supersede_limit": 40},
         "Complete now: the only one that nothing replaces is RFC7100."),
        ("PEP 459 was to extend the metadata of Python packages. What did it rest on?", "pep", "PEP459", "pep", {},
         "It rests on PEP 426, which PEP 566 replaced; what PEP 426 itself required supports only that\n"
         "outdated revision. A decision built on PEP 459 would stand on withdrawn ground."),
    ]  # fmt: skip
    for question, type, id, name, limits, answer in steps:
        console.rule(style="dim")
        console.print(question, style="bold", markup=False, highlight=False)
        options = "".join(f" --{key.replace('_', '-')} {value}" for key, value in limits.items())
        file = data_folder() / f"{name}_relations.parquet"
        console.print(f"$ lineage-kit trace {type} {id} --data data/{file.name}{options}\n", style="dim", markup=False,
                      highlight=False, soft_wrap=True)  # fmt: skip
        store = RelationStore.open(file, **limits)
        _show(store.trace_lineage(type, id, 5), 200)
        console.print(f"\n{answer}\n", style="green", markup=False, highlight=False)
    console.print("Now your own relations: README.md, “Your own data in ten lines”.", style="bold", markup=False)


def data_folder() -> Path:
    """Where the data sets lie: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "_data"
    return inside if inside.is_dir() else package.parent / "data"


def main() -> None:
    """Run the command line: 0 for an answer, 2 and one clear line for bad input, never a traceback."""
    sys.exit(run(lambda: app(standalone_mode=False)))


def run(command: Callable[[], Any]) -> int:
    """The exit code of a command, with its error on stderr."""
    try:
        code = command()
        return code if isinstance(code, int) else 0
    except LineageKitError as error:
        return _complain("; ".join(line.strip().removeprefix("- ") for line in str(error).splitlines()))
    except typer.Abort:
        return _complain("interrupted")
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away, e.g. `| head`; nothing more can be said
        return 0
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the option parser
            return _complain(f"{error.format_message()} (see lineage-kit --help)")
        raise


def _complain(text: str) -> int:
    Console(stderr=True).print(f"lineage-kit: {text}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    return 2


def _console() -> Console:
    return Console(highlight=False)


def _show(result: LineageTrace, draw: int) -> None:
    show_result(_console(), result, summary_of(result), draw or None)


def _pairs(option: str, given: list[str]) -> dict[str, str] | None:
    pairs = {}
    for text in given:
        old, equals, new = text.partition("=")
        if not (old and equals and new):
            raise typer.BadParameter(f"{option} takes OLD=NEW, got {text!r}")
        pairs[old] = new
    return pairs or None
