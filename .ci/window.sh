#!/usr/bin/env bash
# The real window, end to end, under Xvfb with a window manager and scripted mouse and keys.
#   .ci/window.sh PROGRAM [PICTURES]   (both have defaults)
# TYPED_PICTURE is how the program names PICTURES/viewport.png, IDLE_PERCENT the share of a core that a paused window may use.
# Opens the bundled character and then a file, drags the head, plays, undoes, opens menus, closes. Fails when a
# picture is blank, when something does not move that should, when the program logs errors or does not end by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/yuremono}")
pictures=$(realpath -m "${2:-target/window}")
character=${YUREMONO_CHARACTER:-assets/sample.vrm}
# Where the head's ring and the File menu are; pixels of the screen.
head_x=${HEAD_X:-645} head_y=${HEAD_Y:-300} menu_x=60 menu_y=43
width=1440 height=900

mkdir -p "$pictures"
home=$(mktemp -d)
log=$home/log
pids=()
finish() {
    local code=$?
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    [ $code -eq 0 ] || { echo "--- log of the program:"; cat "$log" 2>/dev/null || true; }
    rm -rf "$home"
    exit $code
}
trap finish EXIT
fail() { echo "FAILED: $*"; exit 1; }

export HOME=$home XDG_DATA_HOME=$home/data XDG_CONFIG_HOME=$home/config XDG_RUNTIME_DIR=$home
# The crate rfd logs an error if the system has no file dialog.
export LANG=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1 RUST_BACKTRACE=1 RUST_LOG=warn,rfd=off NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY
mkfifo "$home/display"
Xvfb -displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp 3>"$home/display" 2>/dev/null &
pids+=($!)
DISPLAY=:$(timeout 20 head -n 1 "$home/display") || fail "Xvfb does not start"
export DISPLAY
openbox >/dev/null 2>&1 &
pids+=($!)

now() { date +%s%3N; }
x() { timeout 10 xdotool "$@"; }
shot() { timeout 20 import -silent -window root "$pictures/$1.png"; }
colours() { timeout 20 identify -format '%k' "$pictures/$1.png"; }
# Share of pixels that differ by more than anti-aliasing, in thousandths, inside an optional part WxH+X+Y.
apart() {
    local part=${3:-${width}x${height}+0+0}
    timeout 30 convert "$pictures/$1.png[$part]" "$pictures/$2.png[$part]" -compose difference -composite \
        -colorspace gray -threshold 4% -format '%[fx:int(mean*1000)]' info:
}
alive() { kill -0 "$app" 2>/dev/null || fail "the program is gone"; }
# With its children: an AppImage that unpacks itself waits for the program.
cpu_ticks() {
    local pid own ticks=0
    for pid in "$app" $(cat "/proc/$app/task/$app/children"); do
        own=$(awk '{ print $14 + $15 }' "/proc/$pid/stat" 2>/dev/null) || continue
        ticks=$((ticks + own))
    done
    echo "$ticks"
}
# Milliseconds until the middle of the window shows many colours: a character, not the empty ground.
open_and_wait() {
    local from
    from=$(now)
    "$program" "$@" >>"$log" 2>&1 &
    app=$!
    pids+=("$app")
    for _ in $(seq 400); do
        alive
        if timeout 20 import -silent -window root -crop 400x700+520+120 "$home/probe.png" 2>/dev/null &&
            [ "$(timeout 20 identify -format '%k' "$home/probe.png")" -gt 1500 ]; then
            echo "${1:-no file}: on the screen after $(($(now) - from)) ms (screenshots included)"
            return
        fi
    done
    shot never
    fail "${1:-the bundled character} does not appear"
}
wait_for_end() {
    for _ in $(seq 100); do
        kill -0 "$app" 2>/dev/null || { wait "$app" && return; fail "it ended with code $?"; }
        sleep 0.1
    done
    fail "it does not end"
}
press() { x key "$@"; sleep 0.3; alive; }
# Waits until two pictures in a row are equal, at most ten seconds.
settle() {
    for _ in $(seq 20); do
        alive
        shot settle-a
        sleep 0.3
        shot settle-b
        [ "$(apart settle-a settle-b)" -eq 0 ] && { rm -f "$pictures"/settle-?.png; return; }
    done
    fail "the window does not come to rest"
}
# Takes picture $2 until it differs from $1 by $3 thousandths, at most eight seconds.
until_apart() {
    for _ in $(seq 20); do
        alive
        shot "$2"
        [ "$(apart "$1" "$2")" -ge "$3" ] && return
        sleep 0.2
    done
    fail "$2 looks like $1: $(apart "$1" "$2") thousandths differ, expected $3"
}

# The bundled character, moving.
open_and_wait "$character"
sleep 1
shot 1-open
[ "$(colours 1-open)" -gt 2000 ] || fail "the first picture has $(colours 1-open) colours"
sleep 0.3
shot 2-moving
[ "$(apart 1-open 2-moving)" -ge 1 ] || fail "the character does not move"

# Paused: nothing moves, and nothing is drawn again.
x mousemove 5 895
press space
press r
settle
shot 3-paused
before=$(cpu_ticks)
sleep 5
used=$(($(cpu_ticks) - before))
shot 4-still
echo "paused: $((used * 100 / (5 * $(getconf CLK_TCK)))) % of a core"
[ "$(apart 3-paused 4-still)" -eq 0 ] || fail "something moves while paused"
[ $((used * 100 / (5 * $(getconf CLK_TCK)))) -le "${IDLE_PERCENT:-5}" ] || fail "the window keeps drawing while paused"

# The head's ring is dragged; the simulation runs while the ring is held.
x mousemove "$head_x" "$head_y"
sleep 0.5
x mousedown 1
for step in 1 2 3 4 5 6 7 8; do
    x mousemove $((head_x + step * 5)) $((head_y + step * 2))
    sleep 0.05
done
until_apart 4-still 5-dragged 15
x mouseup 1
x mousemove 5 895
# A paused world runs for 2.5 s after a release, drawn with the quality of a moving picture.
sleep 4
settle
shot 6-let-go
[ "$(apart 4-still 6-let-go)" -lt 5 ] || fail "the head does not spring back"

# Keys and menus, each with a visible effect.
press c
until_apart 6-let-go 7-curves 15
press c
settle
press 3
settle
shot 8-side
[ "$(apart 6-let-go 8-side)" -ge 15 ] || fail "3 does not look from the side"
press 1
press f
press ctrl+z
press ctrl+shift+z
settle
shot 9-front
press F1
until_apart 9-front 10-keys 15
press Escape
settle
x mousemove "$menu_x" "$menu_y" click 1
until_apart 9-front 11-menu 4
press Escape
settle
press space
shot 12-playing
sleep 0.5
until_apart 12-playing 13-played 4

# A picture of the viewport. Without a file dialog, the window asks for the path.
press space
settle
shot rest
rm -f "$pictures/viewport.png"
press F12
until_apart rest path 15
press ctrl+a
x type --delay 20 "${TYPED_PICTURE:-$pictures/viewport.png}"
press Return
for _ in $(seq 50); do
    alive
    [ -f "$pictures/viewport.png" ] && break
    sleep 0.2
done
[ "$(identify -format '%m' "$pictures/viewport.png")" = PNG ] || fail "the picture of the viewport is not saved"
[ "$(colours viewport)" -gt 2000 ] || fail "the picture of the viewport has $(colours viewport) colours"
rm -f "$pictures"/{rest,path}.png
x key ctrl+q
wait_for_end

# Without a file, and closed by the window manager.
open_and_wait
shot 14-sample
[ "$(colours 14-sample)" -gt 2000 ] || fail "without a file the bundled character should be shown"
x key alt+F4
wait_for_end
left=$(ls -A "$XDG_DATA_HOME/yuremono/recovery")
[ -z "$left" ] || fail "a window that was closed left files for recovery: $left"
if grep -anE 'panicked|GL error|GL_INVALID|^error: |\[ERROR' "$log"; then fail "the program logged an error"; fi
echo "the window opens, moves, rests, reacts and closes; pictures in $pictures"
