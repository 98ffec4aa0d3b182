"""The socket of a round on a real server."""

from tests.web.rig import Rig, receive, say, send, until, until_state


async def test_the_first_frame_says_where_the_round_stands(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    async with running.live(session.id) as socket:
        hello = await receive(socket)
    assert hello["type"] == "hello"
    assert (hello["round"], hello["head"]) == (session.id, 2)
    assert (hello["resync"], hello["status"]) == (False, "listening")
    assert hello["interviewer"] == "card"
    assert hello["clock"]["limit_s"] == 180


async def test_a_round_is_played_to_its_scorecard(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        assert (await say(socket, "Because the weights are read.", "a"))["type"] == "ack"
        await until_state(socket, "listening")
        await say(socket, "14.6 ms a token.", "b")
        frames = await until_state(socket, "over")
    events = [frame["event"]["type"] for frame in frames if frame["type"] == "event"]
    assert events[-2:] == ["RoundEnded", "RoundScored"]


async def test_deltas_add_up_to_the_turn(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        await say(socket, "An answer of some words.")
        frames = await until_state(socket, "listening")
    text = ""
    for frame in frames:
        if frame["type"] == "delta":
            text = text[: frame["offset"]] + frame["text"]
    assert text == running.script.turns[1]


async def test_a_ping_is_answered(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await send(socket, type="ping")
        assert (await until(socket, type="pong"))[-1] == {"type": "pong"}
