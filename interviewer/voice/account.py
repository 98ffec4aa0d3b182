"""Everything that Viva makes of a piece of audio, as plain data: `viva voice transcribe`."""

from typing import Any

from interviewer.heard import Heard
from interviewer.quantities import find_quantities
from interviewer.voice.delivery import Delivery, delivery, fillers_of, pauses_of
from interviewer.voice.places import Places
from interviewer.voice.repair import Repaired, repair
from questions.model import QuestionCard


def account(heard: Heard, card: QuestionCard | None, note: str = "") -> dict[str, Any]:
    """Text, words, fillers, pauses and quantities; `text` has the card's lost units restored."""
    repaired = repair(heard.text, card) if card is not None else Repaired(text=heard.text)
    places = Places(heard)
    found = delivery(heard, card.limit_s if card else None)
    return {
        "text": repaired.text,
        "text_as_heard": heard.text,
        "restored": [change.model_dump() for change in repaired.restored],
        "words": [word.model_dump() for word in heard.words],
        "fillers": [filler.model_dump() for filler in fillers_of(heard, places)],
        "pauses": [pause.model_dump() for pause in pauses_of(heard, places)],
        "speech": [span.model_dump() for span in heard.speech],
        "quantities": [
            {
                "text": said.text,
                "value": said.value,
                "unit": said.unit.symbol if said.unit else None,
                "start": said.start,
                "end": said.end,
            }
            for said in find_quantities(repaired.text)
        ],
        "delivery": found.model_dump() if found else None,
        "seconds": heard.seconds,
        "recogniser": heard.recogniser,
        "note": note,
    }


def as_text(made: dict[str, Any], found: Delivery | None) -> str:
    """The same for people, short."""
    lines = [made["text"] or "No speech was found.", ""]
    lines += [
        f'changed "{change["was"]}" to "{change["now"]}": {change["reason"]}'
        for change in made["restored"]
    ]
    if made["quantities"]:
        lines.append("numbers: " + ", ".join(said["text"] for said in made["quantities"]))
    if made["fillers"]:
        lines.append("fillers: " + ", ".join(filler["text"] for filler in made["fillers"]))
    pauses = [f"{p['start']:.1f}-{p['end']:.1f}" for p in made["pauses"]]
    if pauses:
        lines.append("pauses (s): " + ", ".join(pauses))
    lines.append(_rates(found) if found else "too short for rates (20 words, 10 s)")
    return "\n".join([*lines, *filter(None, [made["note"]])])


def _rates(found: Delivery) -> str:
    return (
        f"{found.rate_wall_wpm:.0f} words a minute, {found.rate_speech_wpm:.0f} while speaking; "
        f"um and uh {found.hard_per_100:.1f} per 100 words. {found.tip.text}"
    )
