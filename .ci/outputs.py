#!/usr/bin/env python3
"""Writes what a program makes of several characters, so that two builds can be compared: the setup for all solvers in
all formats, simulated tips, saved characters, bakes, checks, differences and contact sheets.

    python3 .ci/outputs.py PROGRAM FOLDER CHARACTER...
    diff -r FOLDER OTHER_FOLDER

Each command's standard output and exit code are written, too. The last lines name the slowest commands.
"""
import pathlib
import subprocess
import sys
import time

SOLVERS = [
    "UnityChanSpringBone", "VRM", "PbdSpringBone", "DynamicBone", "EZSoftBone", "SPCRJointDynamics", "KawaiiPhysics",
    "AnimDynamics", "Hinge",
]
FORMATS = {
    "csv": "csv", "parameters": "json", "dynamic-bone": "csv", "kawaii-physics": "json", "ez-soft-bone": "json",
    "project": "yure",
}
MOTIONS = ["turn", "walk", "jump"]


def main():
    program, folder, *characters = sys.argv[1:]
    program = pathlib.Path(program).resolve()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    times = []

    def run(name, *arguments):
        started = time.monotonic()
        result = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True, timeout=600)
        times.append((time.monotonic() - started, name))
        text = f"exit code {result.returncode}\n".encode() + result.stdout + b"--\n" + result.stderr
        (folder / f"{name}.txt").write_bytes(text)

    for path in characters:
        path = pathlib.Path(path).resolve()
        # A copy in the folder keeps the paths in the outputs equal.
        (folder / path.name).write_bytes(path.read_bytes())
        character, stem = path.name, path.stem
        run(f"{stem}-detect", "detect", character, "--out", f"{stem}-detected.json")
        has_springs = path.suffix == ".vrm"
        given = [] if has_springs else ["--setup", f"{stem}-detected.json"]
        for solver in SOLVERS:
            for format, extension in FORMATS.items():
                name = f"{stem}-{solver}-{format}"
                run(name, "convert", character, *given, "--solver", solver, "--format", format,
                    "--out", f"{name}.{extension}")
            name = f"{stem}-{solver}-saved"
            run(name, "convert", character, *given, "--solver", solver, "--format", "character", "--average",
                "--out", f"{name}{path.suffix}")
            project = f"{stem}-{solver}-project.yure"
            for motion in MOTIONS:
                name = f"{stem}-{solver}-{motion}"
                run(name, "simulate", character, "--setup", project, "--motion", motion, "--seconds", "1.5",
                    "--out", f"{name}.csv")
            run(f"{stem}-{solver}-diff", "diff", f"{stem}-{SOLVERS[0]}-project.yure", project)
        for extension in ["glb", "vrma", "csv"]:
            name = f"{stem}-bake-{extension}"
            out = f"{name}{path.suffix}" if extension == "glb" else f"{name}.{extension}"
            run(name, "bake", character, *given, "--motion", "walk", "--out", out)
        run(f"{stem}-check", "check", character, *given, "--clipping", "--motion", "all", "--json")
        run(f"{stem}-sheet", "render", character, *given, "--sheet", "--moments", "3", "--size", "100x125",
            "--out", f"{stem}-sheet.png")
    for seconds, name in sorted(times, reverse=True)[:8]:
        print(f"{seconds:6.1f} s  {name}")
    print(f"{sum(seconds for seconds, _ in times):.0f} s, {len(times)} commands")


main()
