"""The scripted agent with a bad habit of the real one: it runs hooks of settings that it may read.

Measured with claude: hooks of the folder and of the home run unless `--setting-sources ""` is given.
"""

import json
import runpy
import subprocess
import sys
from pathlib import Path

SOURCES = "--setting-sources"


def hooks() -> list[str]:
    found = []
    for folder in (Path.cwd(), Path.home()):
        for name in ("settings.json", "settings.local.json"):
            settings = folder / ".claude" / name
            if settings.is_file():
                events = json.loads(settings.read_text()).get("hooks", {})
                found += [hook["command"] for event in events.values() for one in event
                          for hook in one["hooks"]]
    return found


if SOURCES not in sys.argv or sys.argv[sys.argv.index(SOURCES) + 1] != "":
    for command in hooks():
        subprocess.run(command, shell=True, check=False)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
