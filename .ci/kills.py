#!/usr/bin/env python3
"""Kills the real window at random moments of editing, saving and recovering, and checks that nothing is lost.

    .ci/kills.py PROGRAM [COUNT] [SEED]

Each round opens a project in a window under Xvfb, increases one value step by step with the arrow key, saves now and
then, and kills the window with SIGKILL. Some rounds then start the program again, and also kill the window that offers
or opens the recovered document. The value counts the steps that are on the disk. Afterwards:

- The project is readable and contains a saved state, at least the last one saved more than a second before the kill.
- The recovered document, or the project if nothing is unsaved, contains every step made more than a second before the
  kill.
- No other file remains.

Needs Xvfb, openbox, xdotool and ImageMagick.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE = (1440, 900)
# The field of the parameter in the inspector, in pixels of the screen.
FIELD = (1271, 640)
# The button "Recover" in the question at the start, in pixels of the screen.
RECOVER_BUTTON = (953, 656)
# The character covers this part of the screen once it is drawn.
CHARACTER_AREA = "400x700+520+120"
PARAM, FIRST_VALUE, STEP = "gravityDir y", -0.9, 0.02
# Steps and saves that are older than this at the kill must be on the disk, in seconds.
MAX_LOSS = 1.0
# A frame of a slow machine takes at most this time, in seconds. A save also contains the later steps of its frame.
MAX_FRAME = 0.5
# Share of the rounds that also kill the window during recovery.
RECOVERY_SHARE = 0.25
# Share of the rounds that may fail to start, because the machine is too slow for the keys.
MAX_NOT_STARTED = 0.2


class NotStartedError(Exception):
    """The window could not be driven."""


def run(*command, timeout=60):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def colours_on_screen():
    picture = subprocess.run(["import", "-silent", "-window", "root", "-crop", CHARACTER_AREA, "miff:-"],
                             capture_output=True, timeout=30, check=True)
    return int(subprocess.run(["identify", "-format", "%k", "-"], input=picture.stdout, capture_output=True,
                              timeout=30, check=True).stdout)


def window_titles():
    found = subprocess.run(["xdotool", "search", "--name", "Yuremono", "getwindowname", "%@"], capture_output=True,
                           text=True, timeout=30)
    return found.stdout


def wait_until(what, condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise NotStartedError(f"{what} did not appear within {seconds:.0f} s")
        time.sleep(0.05)


def steps_in(project):
    """Returns the number of steps in a project file."""
    value = json.loads(pathlib.Path(project).read_text())["setup"]["chains"]["1"]["values"][PARAM]["base"]
    return round((value - FIRST_VALUE) / STEP)


def type_first_value(data):
    """Types a value into the field, and waits until the change is on the disk. A slow window needs more than one try."""
    for pause in [1.0, 2.0, 4.0]:
        run("xdotool", "mousemove", *map(str, FIELD), "click", "1")
        time.sleep(pause)
        run("xdotool", "type", "--delay", "60", "--", str(FIRST_VALUE))
        run("xdotool", "key", "Return")
        time.sleep(pause)
        if any(data.glob("yuremono/recovery/*.journal")):
            return
    raise NotStartedError("typing into the field changes nothing; is the field still at FIELD?")


def start(command, title, log):
    """Starts the program, and waits until the window shows the character."""
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until("the window", lambda: process.poll() is not None or title in window_titles())
        wait_until("the character", lambda: process.poll() is not None or colours_on_screen() > 1500)
    except BaseException:
        kill(process)
        raise
    return process


def kill(process):
    process.kill()
    process.wait()


def play_round(program, folder, rng, log):
    """Returns what went wrong, or None."""
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    project = folder / "project" / "hair.yure"
    shutil.copyfile(folder / "hair.yure", project)
    process = start([program, project], "hair.yure", log)
    try:
        type_first_value(data)
        steps, saves = edit(rng)
        if process.poll() is not None:
            return "the program exited before the kill"
        killed = time.monotonic()
        process.send_signal(signal.SIGKILL)
    finally:
        kill(process)
    if rng.random() < RECOVERY_SHARE:
        problem = kill_during_recovery(program, rng, log)
        if problem:
            return problem
    unedited = steps_in(folder / "hair.yure")
    return (check_project(program, project, unedited, steps, saves, killed)
            or check_recovered(program, project, folder / "recovered", steps, killed)
            or check_files(data, project))


def edit(rng):
    """Presses keys for a random time. Returns the times of the steps and of the saves."""
    steps, saves = [], []
    end = time.monotonic() + rng.uniform(0.0, 4.0)
    while time.monotonic() < end and len(steps) < 80:
        if rng.random() < 0.1:
            saves.append(time.monotonic())
            run("xdotool", "key", "ctrl+s")
        else:
            run("xdotool", "key", "Right")
            steps.append(time.monotonic())
        time.sleep(rng.uniform(0.0, 0.15))
    return steps, saves


def kill_during_recovery(program, rng, log):
    """Kills the next window while the window asks whether to recover, or shortly after the click on Recover."""
    process = start([program], "Yuremono", log)
    try:
        time.sleep(rng.uniform(0.0, 1.0))
        if rng.random() < 0.5:
            # The question moves while it appears.
            time.sleep(0.5)
            run("xdotool", "mousemove", *map(str, RECOVER_BUTTON), "click", "1")
            time.sleep(rng.uniform(0.0, 1.5))
        return None if process.poll() is None else "the program exited during recovery"
    finally:
        kill(process)


def check_project(program, project, unedited, steps, saves, killed):
    run(program, "check", project, "--json")

    def states(save):
        """Returns the possible numbers of steps in a save."""
        fewest, most = (sum(1 for at in steps if at < before) for before in (save, save + MAX_FRAME))
        return range(fewest, most + 1)

    allowed = [range(unedited, unedited + 1), *map(states, saves)]
    last = sum(1 for at in saves if at < killed - MAX_LOSS)
    found = steps_in(project)
    if any(found in counts for counts in allowed[last:]):
        return None
    return f"the project has {found} steps, but {len(saves)} saves have {[*map(list, allowed[last:])]}"


def check_recovered(program, project, folder, steps, killed):
    shutil.rmtree(folder, ignore_errors=True)
    run(program, "recover", "--out", folder, "--discard")
    recovered = list(folder.glob("*.yure"))
    if len(recovered) > 1:
        return f"{len(recovered)} documents are recovered instead of one"
    found = steps_in(recovered[0] if recovered else project)
    expected = sum(1 for at in steps if at < killed - MAX_LOSS)
    if expected <= found <= len(steps):
        return None
    place = "recovered document" if recovered else "project"
    return f"the {place} has {found} steps; expected {expected} to {len(steps)}"


def check_files(data, project):
    known = (project.name, "sample.vrm")
    left = [path for path in [*data.glob("yuremono/recovery/*"), *project.parent.iterdir()] if path.name not in known]
    return f"files are left: {left}" if left else None


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "project").mkdir()
        shutil.copyfile(ROOT / "assets" / "sample.vrm", folder / "project" / "sample.vrm")
        for variable, value in {
            "HOME": folder, "XDG_DATA_HOME": folder / "data", "XDG_CONFIG_HOME": folder / "config",
            "XDG_RUNTIME_DIR": folder, "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1",
        }.items():
            os.environ[variable] = str(value)
        os.environ.pop("WAYLAND_DISPLAY", None)
        run(program, "convert", ROOT / "assets" / "sample.vrm", "--solver", "VRM", "--out", folder / "hair.yure")
        replace_character(folder / "hair.yure")
        read_end, write_end = os.pipe()
        screen = f"{SIZE[0]}x{SIZE[1]}x24"
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", screen, "-nolisten", "tcp"],
                                  pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.environ["DISPLAY"] = ":" + os.read(read_end, 16).decode().strip()
        manager = subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        failures, not_started = 0, 0
        try:
            with open(folder / "log", "w") as log:
                for at in range(count):
                    try:
                        problem = play_round(program, folder, rng, log)
                    except NotStartedError as error:
                        not_started += 1
                        print(f"round {at + 1} did not start: {error}", flush=True)
                        continue
                    if problem:
                        failures += 1
                        print(f"round {at + 1}: {problem}", flush=True)
        finally:
            manager.kill()
            server.kill()
        print(f"{count - not_started} kills, {failures} failures, {not_started} not started, seed {seed}")
        if not_started > count * MAX_NOT_STARTED:
            failures += 1
        if failures:
            print((folder / "log").read_text()[-2000:])
        sys.exit(1 if failures else 0)


def replace_character(project):
    """Makes the project refer to the character next to its later place."""
    content = json.loads(project.read_text())
    content["character"]["path"] = "sample.vrm"
    project.write_text(json.dumps(content))


if __name__ == "__main__":
    main()
