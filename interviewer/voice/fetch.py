"""Gets a Whisper model from its hub: `python -m interviewer.voice.fetch NAME FOLDER`."""

import sys


def main(name: str, folder: str) -> None:
    """Download it; what goes wrong ends the process with its reason on standard error."""
    from faster_whisper import download_model

    download_model(name, output_dir=folder)


if __name__ == "__main__":
    main(*sys.argv[1:3])
