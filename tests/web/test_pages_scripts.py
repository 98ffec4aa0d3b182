"""The scripts: small, free of syntax errors, and true in their pure parts. Skipped without node."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from interviewer.visible import visible
from web.rendering import STATIC

SCRIPTS = sorted((STATIC / "js").glob("*.js"))
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_has_at_most_200_lines(script: Path) -> None:
    assert script.read_text(encoding="utf-8").count("\n") <= 200


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_script_writes_html_or_evaluates_text(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://"
    )
    assert re.findall(forbidden, source) == []


@needs_node
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_has_no_syntax_error(script: Path) -> None:
    done = subprocess.run(
        [str(NODE), "--check", "--input-type=module", "-"],
        input=script.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def run(source: str) -> str:
    """What a module prints; it may import the scripts by name."""
    folder = (STATIC / "js").as_uri()
    imports = re.sub(r"(from |import\()'\./", rf"\1'{folder}/", source)
    done = subprocess.run(
        [str(NODE), "--input-type=module", "--no-warnings", "-e", imports],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.strip()


@needs_node
def test_fault_11_waits_double_up_to_a_cap_and_are_spread() -> None:
    printed = run(
        "import { waitBefore } from './live.js';"
        "console.log([0, 1, 2, 9].flatMap((n) => [waitBefore(n, 0), waitBefore(n, 1)]).join())"
    )
    assert printed == "200,400,400,800,800,1600,7500,15000"


@needs_node
def test_script_and_server_show_hostile_characters_alike() -> None:
    text = "".join(map(chr, [*range(0x250), *range(0x2000, 0x2070), 0x1F600])).replace("\n", "")
    codes = ",".join(str(ord(sign)) for sign in text)
    printed = run(
        "import { shown } from './text.js';"
        f"console.log(JSON.stringify(shown(String.fromCodePoint({codes}))))"
    )
    assert json.loads(printed) == visible(text)


@needs_node
def test_the_clock_is_written_in_minutes_and_seconds() -> None:
    printed = run("import { minutes } from './text.js'; console.log(minutes(180), minutes(9.4))")
    assert printed == "3:00 0:09"


@needs_node
def test_a_socket_that_still_connects_is_closed_before_another_one_is_opened() -> None:
    source = """
    const sockets = [], wakes = {};
    globalThis.WebSocket = class {
      constructor() { this.readyState = 0; sockets.push(this); }
      close() { this.closed = true; }
    };
    globalThis.location = { href: 'http://viva.example/rounds/r1', protocol: 'http:' };
    globalThis.setInterval = () => undefined;
    globalThis.addEventListener = (kind, act) => { wakes[kind] = act; };
    const { Live } = await import('./live.js');
    new Live('/rounds/r1/live', { after: 0, at: '' }, () => undefined, () => undefined).connect();
    wakes.online();
    console.log(JSON.stringify(sockets.map((socket) => Boolean(socket.closed))));
    """
    assert json.loads(run(source)) == [True, False]
