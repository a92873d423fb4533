#!/usr/bin/env bash
# Draws the pictures of README.md, README.ja.md and docs/ again, with the real window under Xvfb:
#   .ci/pictures.sh PROGRAM [SCENE...]   (without a scene: all; `.ci/pictures.sh target/debug/yuremono limits export_csv`)
# A scene is a function below. Each one opens the window anew and clicks at pixels of a window of 1280 x 800: look at
# every picture before you commit it. Pictures go to assets/readme, or to the folder that PICTURES names.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1")
shift
folder=$(realpath -m "${PICTURES:-assets/readme}")
width=1280 height=800
scenes=("$@")
[ ${#scenes[@]} -gt 0 ] || scenes=(drag spin tune curve limits presets map switch export_csv)

mkdir -p "$folder"
work=$(mktemp -d)
pids=()
app=
finish() {
    local code=$?
    for pid in "${pids[@]}" $app; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    [ $code -eq 0 ] || cat "$work"/*.log 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
trap finish EXIT

# A slow software driver would draw a moving picture with fewer pixels, so it has the name of a GPU.
export LIBGL_ALWAYS_SOFTWARE=1 force_gl_renderer=Pictures NO_AT_BRIDGE=1 LANG=C.UTF-8
export HOME=$work/home XDG_DATA_HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_RUNTIME_DIR=$work/home
unset WAYLAND_DISPLAY
mkdir -p "$HOME"
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
pids+=($!)
DISPLAY=:$(timeout 20 head -n 1 "$work/display")
export DISPLAY
cat >"$work/rc.xml" <<'XML'
<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc"><applications><application class="*">
<decor>no</decor><maximized>yes</maximized></application></applications></openbox_config>
XML
openbox --config-file "$work/rc.xml" >/dev/null 2>&1 &
pids+=($!)

x() { timeout 10 xdotool "$@"; }
at() { x mousemove "$1" "$2"; sleep 0.5; }
click() { at "$1" "$2"; x click 1; sleep "${3:-0.8}"; }
key() { x key "$@"; sleep 0.8; }
press() { # X Y TO_X TO_Y: drags, and leaves the button down
    at "$1" "$2"
    x mousedown 1
    sleep 0.3
    for step in 1 2 3 4 5 6; do
        x mousemove $(($1 + ($3 - $1) * step / 6)) $(($2 + ($4 - $2) * step / 6))
        sleep 0.15
    done
    sleep 0.7
}
release() { x mouseup 1; sleep 0.5; }
shot() { timeout 20 import -silent -window root "$1"; }
# Name, part of the window as WxH+X+Y.
take() {
    shot "$work/shot.png"
    convert "$work/shot.png" -crop "$2" +repage -dither None -colors 256 -define png:compression-level=9 \
        "PNG8:$folder/$1.png"
    echo "$1.png: $(stat -c %s "$folder/$1.png") bytes"
}
# Opens the bundled character, with the chains listed: language, theme.
open_window() {
    # The last window was killed, and its journal would be offered.
    rm -rf "$HOME/yuremono"
    mkdir -p "$HOME/yuremono"
    echo "{\"prefs\":\"(mode:${2:-dark},lang:$1,dismissed_hints:(true,true,true))\"}" >"$HOME/yuremono/app.ron"
    "$program" >"$work/window.log" 2>&1 &
    app=$!
    for _ in $(seq 300); do
        sleep 0.2
        kill -0 $app
        shot "$work/shot.png"
        [ "$(convert "$work/shot.png" -crop 400x600+420+100 -format %k info:)" -gt 1500 ] && break
    done
    sleep 2
    click 77 56
    at 640 789
}
close_window() {
    kill $app
    wait $app 2>/dev/null || true
    app=
}
twin_tail() { click 94 341; }
walk() { click 470 711 1.5; click 475 538 3; click 640 789; }
frame() { at 640 300; key f; sleep 1; }
# Each scene in English, and in Japanese for README.ja.md.
in_both() {
    for lang in en ja; do
        local suffix=
        [ $lang = ja ] && suffix=-ja
        open_window $lang "${2:-dark}"
        "$1" "$suffix"
        close_window
    done
}

# The ring at her hips is dragged to and fro and let go, in slow motion, so that a slow driver draws every frame.
drag() {
    open_window en
    click 574 711
    x type --delay 60 0.25
    key Return
    click 625 100 # nothing is there: the field gives the keyboard back
    at 628 400
    x mousedown 1
    awk 'BEGIN { for (i = 0; i <= 144; i++) { s = i / 144; printf "%d %d\n", 628 + 40 * sin(s * 4 * 3.14159265) * (1 - s * s), 400 - 14 * sin(s * 3.14159265) } }' \
        >"$work/path"
    (
        while read -r px py; do
            x mousemove "$px" "$py"
            sleep 0.03
        done <"$work/path"
        x mouseup 1
    ) &
    local hand=$! from i
    from=$(date +%s%3N)
    for i in $(seq 100 149); do
        shot "$work/frame-$i.ppm"
        while [ $(($(date +%s%3N) - from)) -lt $(((i - 99) * 250)) ]; do sleep 0.01; done
    done
    wait $hand
    close_window
    convert "$work/frame-109.ppm" -crop 620x490+312+95 +repage -dither None -colors 256 "PNG8:$folder/shake.png"
    for i in $(seq 100 149); do
        convert "$work/frame-$i.ppm" -filter Lanczos -resize 960x600 "$work/small-$i.ppm"
    done
    convert "$work"/small-1[0-4][0369].ppm -append -dither None -colors 250 -unique-colors "$work/palette.png"
    for i in $(seq 100 149); do
        convert "$work/small-$i.ppm" -dither None -remap "$work/palette.png" -depth 8 "$work/small-$i.ppm"
    done
    python3 .ci/apng.py 16 "$folder/drag.png" "$work"/small-1??.ppm
}

# What `render` draws: one turn of the clip.
spin() {
    "$program" render assets/sample.vrm --motion Spin --pace 0.9 --seconds 2.888889 --fps 25 --size 320x400 \
        --colors 256 --overwrite --out "$folder/spin.png"
}

tuning() { # the speed of a twin tail is dragged while she walks
    walk
    twin_tail
    press 1134 282 1124 282
    take "tune$1" 840x600+440+40
    release
}
tune() { in_both tuning; }

bending() { # the tip of a twin tail swings slower than its root
    twin_tail
    click 1234 282 1.5
    frame
    press 724 634 724 680
    take "curve$1" 1048x736+232+40
    release
}
curve() { in_both bending; }

limiting() { # the fan of a joint, and nothing else drawn
    twin_tail
    click 994 255
    # A note above takes one line more in Japanese.
    local y=594
    [ -z "$1" ] || y=608
    click 1186 $y
    click 1186 $((y + 26))
    key space
    key r
    frame
    at 660 300
    for _ in 1 2 3; do x click 4; sleep 0.4; done
    sleep 1
    for toggle in 811 681 650 778; do click $toggle 71; done
    at 675 220
    x click --repeat 2 --delay 80 1
    sleep 1.5
    at 640 789
    take "limits$1" 840x650+440+40
}
limits() { in_both limiting; }

choosing() { # the pointer is over a preset; dashed is how the tail moves now
    walk
    twin_tail
    frame
    key p
    at 503 720
    sleep 2.5
    take "presets$1" 720x736+232+40
}
presets() { open_window en light; choosing ""; close_window; }

# A setup of a character whose bones have Japanese names.
map() {
    "$program" convert assets/sample-rig-japanese.vrm --solver UnityChanSpringBone --overwrite --out "$work/Miko.csv" 2>/dev/null
    open_window en
    key ctrl+i
    sleep 3
    key ctrl+a
    x type --delay 40 "$work/Miko.csv"
    key Return
    sleep 3
    take import 606x706+22+62
    click 556 739
    sleep 4
    at 640 789
    take map 774x670+22+62
    close_window
}

# All chains go from UnityChan to EZSoftBone, which has no angle limits.
switch() {
    open_window en
    press 1160 342 1080 342
    release
    click 1180 130
    click 1207 266
    at 640 789
    sleep 2
    take switch 928x338+18+64
    close_window
}

exporting() { # improved, with a curve: what Unity will not do, what the file loses
    twin_tail
    click 1230 143
    click 1186 758
    frame
    key ctrl+e
    at 640 789
    sleep 2
    take "export$1" 928x388+18+64
}
export_csv() { in_both exporting; }

for scene in "${scenes[@]}"; do
    "$scene"
done
