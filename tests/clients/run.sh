#!/usr/bin/env bash
# Checks baked animations and pictures with other programs: bash tests/clients/run.sh PROGRAM, where PROGRAM is the built yuremono.
# A client that is not installed is skipped. npm packages go into a temporary folder.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sample=$(realpath "$here/../../assets/sample.vrm")
for motion in Walk turn; do
    "$program" bake "$sample" --motion "$motion" --loop --max-error 0.05 --out "$work/$motion.glb"
    "$program" bake "$sample" --motion "$motion" --loop --out "$work/$motion.csv"
    "$program" bake "$sample" --motion "$motion" --loop --out "$work/$motion.vrma" 2>/dev/null
done
if ! { command -v node && command -v npm; } >/dev/null; then
    echo "skipped: glTF validator, three.js and three-vrm, because node is not installed"
elif ! (cd "$work" && timeout 180 npm install --silent --no-save \
        gltf-validator three @pixiv/three-vrm @pixiv/three-vrm-animation playwright-core >/dev/null 2>&1); then
    echo "skipped: glTF validator, three.js and three-vrm, because npm cannot install them"
else
    cp "$here"/*.mjs "$work"
    for motion in Walk turn; do
        node "$work/bake_gltf_validator.mjs" "$sample" "$work/$motion.glb" "$work/$motion.vrma"
        node "$work/bake_three.mjs" "$work/$motion.glb" "$work/$motion.csv"
        node "$work/bake_three_vrm.mjs" "$sample" "$work/$motion.vrma" "$work/$motion.csv"
    done
    characters=("$sample")
    if [ -n "${YUREMONO_SAMPLES:-}" ]; then
        for file in "$(realpath "$YUREMONO_SAMPLES")"/*.vrm; do characters+=("$file"); done
    else
        echo "skipped: pictures of real characters, because YUREMONO_SAMPLES is not set"
    fi
    (cd "$work" && node mtoon_three_vrm.mjs "$program" "${characters[@]}")
fi
for motion in Walk turn; do
    "${PYTHON:-python3}" "$here/bake_blender.py" "$work/$motion.glb" "$work/$motion.csv"
done
