#!/usr/bin/env bash
# Tests the bridges to Unity and Blender, without Unity and without Blender.
#   .ci/bridges.sh [PROGRAM]   (default: target/release/yuremono)
# PROGRAM writes files of the bundled character. The Unity script is compiled against stubs and applies these files to
# a stand-in character. The part of the Blender add-on that does not need Blender is tested with python3.
# tests/clients/blender_bridge.py tests the whole add-on; that test needs `pip install bpy` and the VRM add-on.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath -m "${1:-target/release/yuremono}")
[ -x "$program" ] || { echo "skipped: bridges, because $program does not exist"; exit 0; }
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

convert() { "$program" convert assets/sample.vrm --lang en "$@" >"$files/log" 2>&1 || { cat "$files/log"; exit 1; }; }
convert --solver UnityChanSpringBone --out "$files/unitychan.csv"
convert --format dynamic-bone --out "$files/dynamic.csv"
convert --format ez-soft-bone --out "$files/ez.json"
convert --preset hair_long --out "$files/tuned.vrm"
convert --preset hair_long --format parameters --out "$files/tuned.json"
convert --setup integrations/unity/test/curves.json --out "$files/curves.vrm"
convert --setup integrations/unity/test/curves.json --format parameters --out "$files/curves.json"
convert --solver UnityChanSpringBone --format parameters --out "$files/manager.json"
convert --solver SPCRJointDynamics --format parameters --out "$files/joint_dynamics.json"
echo "files: 9 written by $("$program" --version)"

if ! { command -v mcs && command -v mono; } >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends mono-mcs mono-runtime; } </dev/null >/dev/null 2>&1 || true
fi
if { command -v mcs && command -v mono; } >/dev/null; then
    cd integrations/unity
    mcs -langversion:7.2 -warn:4 -warnaserror+ -out:"$files/BridgeTest.exe" YuremonoWatcher.cs stubs/*.cs test/*.cs
    timeout 60 mono "$files/BridgeTest.exe" "$files"
    cd ../..
else
    echo "skipped: Unity script, because mono-mcs and mono-runtime cannot be installed"
fi

if command -v python3 >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 python3 tests/clients/blender_bridge_springs.py "$files/tuned.vrm" >"$files/log" 2>&1 || { cat "$files/log"; exit 1; }
    echo "Blender add-on without Blender: $(grep '^Ran' "$files/log")"
else
    echo "skipped: Blender add-on, because python3 is not installed"
fi
