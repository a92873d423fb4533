#!/usr/bin/env bash
# Draws the pictures of README.md, README.ja.md and docs/ again, with the real window under Xvfb:
#   .ci/pictures.sh PROGRAM [SCENE...]   (without a scene: all; `.ci/pictures.sh target/debug/yuremono limits export_csv`)
# A scene is a function below. Each one opens the window again and clicks at points of a window of 1280 x 800, which is
# captured at two pixels per point: look at every picture before you commit it. Pictures go to assets/readme, or to the
# folder that PICTURES names. Needs xvfb, openbox, xdotool, imagemagick, faketime and python3.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1")
shift
folder=$(realpath -m "${PICTURES:-assets/readme}")
width=1280 height=800
# Pixels per point.
scale=2
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
export WINIT_X11_SCALE_FACTOR=$scale LIBGL_ALWAYS_SOFTWARE=1 force_gl_renderer=Pictures NO_AT_BRIDGE=1 LANG=C.UTF-8
export HOME=$work/home XDG_DATA_HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_RUNTIME_DIR=$work/home
unset WAYLAND_DISPLAY
mkdir -p "$HOME"
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 $((width * scale))x$((height * scale))x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
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
# Moves the pointer to a point.
to() { x mousemove $(($1 * scale)) $(($2 * scale)); }
at() { to "$1" "$2"; sleep 0.5; }
# Converts a rectangle WxH+X+Y from points to pixels.
pixels() {
    local w h left top
    IFS='x+' read -r w h left top <<<"$1"
    echo "$((w * scale))x$((h * scale))+$((left * scale))+$((top * scale))"
}
click() { at "$1" "$2"; x click 1; sleep "${3:-0.8}"; }
key() { x key "$@"; sleep 0.8; }
press() { # X Y TO_X TO_Y: drags, and leaves the button down
    at "$1" "$2"
    x mousedown 1
    sleep 0.3
    for step in 1 2 3 4 5 6; do
        to $(($1 + ($3 - $1) * step / 6)) $(($2 + ($4 - $2) * step / 6))
        sleep 0.15
    done
    sleep 0.7
}
release() { x mouseup 1; sleep 0.5; }
shot() { timeout 20 import -silent -window root "$1"; }
# Name, part of the window as WxH+X+Y, in points.
take() {
    shot "$work/shot.png"
    convert "$work/shot.png" -crop "$(pixels "$2")" +repage -dither None -colors 256 -define png:compression-level=9 \
        "PNG8:$folder/$1.png"
    echo "$1.png: $(stat -c %s "$folder/$1.png") bytes"
}
# Opens the bundled character, with the chains listed: language, theme, share of the real speed of time.
open_window() {
    # The last window was killed, and its journal would be offered.
    rm -rf "$HOME/yuremono"
    mkdir -p "$HOME/yuremono"
    echo "{\"prefs\":\"(mode:${2:-dark},lang:$1,dismissed_hints:(true,true,true))\"}" >"$HOME/yuremono/app.ron"
    if [ -n "${3:-}" ]; then
        LD_PRELOAD=$(echo /usr/lib/*/faketime/libfaketime.so.1) FAKETIME="+0 x$3" "$program" >"$work/window.log" 2>&1 &
    else
        "$program" >"$work/window.log" 2>&1 &
    fi
    app=$!
    for _ in $(seq 300); do
        sleep 0.2
        kill -0 $app
        shot "$work/shot.png"
        [ "$(convert "$work/shot.png" -crop "$(pixels 400x600+420+100)" -format %k info:)" -gt 1500 ] && break
    done
    sleep 2
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

# The ring at her hips is dragged back and forth at full speed, from before the first frame on, so that everything moves in
# every frame. The clock of the program runs slowly, so that a slow driver draws every frame; the pointer, which a
# screenshot leaves out, is drawn afterwards. The clip has two periods of the drag, and repeats almost without a seam.
drag() {
    local slow=0.05 fps=12 period=18 substeps=5 lang suffix
    for lang in en ja; do
        suffix=
        [ $lang = ja ] && suffix=-ja
        open_window $lang dark $slow
        at 628 400
        sleep 3
        x mousedown 1
        sleep 1
        dragging
        x mouseup 1
        close_window
        draw_clip "$suffix"
    done
}
# Writes one frame for each place of the pointer, after a first period that is not kept.
dragging() {
    local from i sub px py wait
    wait=$(awk "BEGIN { printf \"%d\", 1000 / ($fps * $slow * $substeps) }")
    from=$(date +%s%3N)
    for i in $(seq 0 $((period * 3 - 1))); do
        for sub in $(seq 1 $substeps); do
            read -r px py < <(awk "BEGIN { a = 2 * 3.14159265 * ($i + $sub / $substeps) / $period; printf \"%d %d\\n\", $scale * (628 + 42 * sin(a)), $scale * (400 - 8 * (1 - cos(2 * a))) }")
            x mousemove "$px" "$py"
            while [ $(($(date +%s%3N) - from)) -lt $(((i * substeps + sub) * wait)) ]; do sleep 0.01; done
        done
        [ "$i" -lt $period ] && continue
        shot "$work/frame-$((100 + i)).ppm"
        echo "$px $py" >"$work/frame-$((100 + i)).pointer"
    done
}
draw_clip() {
    local frame px py first=$((100 + period + period / 4))
    for frame in "$work"/frame-???.ppm; do
        read -r px py <"${frame%.ppm}.pointer"
        convert "$frame" -fill white -stroke black -strokewidth 2 \
            -draw "translate $px,$py polygon 0,0 0,40 9,31 15,46 22,43 16,29 28,29" "$frame"
    done
    [ -n "$1" ] || convert "$work/frame-$first.ppm" -crop "$(pixels 620x490+312+95)" +repage -dither None -colors 256 \
        "PNG8:$folder/shake.png"
    for frame in "$work"/frame-???.ppm; do
        convert "$frame" -filter Lanczos -resize 840x525 "${frame/frame-/small-}"
    done
    convert "$work"/small-*[05].ppm -append -dither None -colors 250 -unique-colors "$work/palette.png"
    for frame in "$work"/small-???.ppm; do
        convert "$frame" -dither None -remap "$work/palette.png" -depth 8 "$frame"
    done
    python3 .ci/apng.py $fps "$folder/drag$1.png" "$work"/small-???.ppm
    rm -f "$work"/{small,frame}-*
}

# What `render` draws: one turn of the clip.
spin() {
    "$program" render assets/sample.vrm --motion Spin --pace 0.9 --seconds 2.888889 --fps 18 --size 320x400 \
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
mapping() {
    key ctrl+i
    sleep 3
    key ctrl+a
    x type --delay 40 "$work/Miko.csv"
    key Return
    sleep 3
    [ -n "$1" ] || take import 606x706+22+62
    click 556 739
    sleep 4
    at 640 789
    take "map$1" 774x670+22+62
}
map() {
    "$program" convert assets/sample-rig-japanese.vrm --solver UnityChanSpringBone --overwrite --out "$work/Miko.csv" 2>/dev/null
    in_both mapping
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
