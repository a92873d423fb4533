#!/usr/bin/env bash
# Checks baked animations with other programs: bash tests/clients/run.sh PROGRAM, where PROGRAM is the built yuremono.
# A client that is not installed is skipped. npm packages go into a temporary folder.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sample=$here/../../assets/sample.vrm
for motion in Walk turn; do
    "$program" bake "$sample" --motion "$motion" --loop --max-error 0.05 --out "$work/$motion.glb"
    "$program" bake "$sample" --motion "$motion" --loop --out "$work/$motion.csv"
    "$program" bake "$sample" --motion "$motion" --loop --out "$work/$motion.vrma" 2>/dev/null
done
if ! { command -v node && command -v npm; } >/dev/null; then
    echo "skipped: glTF validator and three.js, because node is not installed"
elif ! (cd "$work" && timeout 120 npm install --silent --no-save gltf-validator three >/dev/null 2>&1); then
    echo "skipped: glTF validator and three.js, because npm cannot install them"
else
    cp "$here"/*.mjs "$work"
    for motion in Walk turn; do
        node "$work/bake_gltf_validator.mjs" "$sample" "$work/$motion.glb" "$work/$motion.vrma"
        node "$work/bake_three.mjs" "$work/$motion.glb" "$work/$motion.csv"
    done
fi
for motion in Walk turn; do
    "${PYTHON:-python3}" "$here/bake_blender.py" "$work/$motion.glb" "$work/$motion.csv"
done
