#!/usr/bin/env bash
# The real window, end to end, without a screen: Xvfb, a window manager, a hand that clicks.
#   .ci/window.sh PROGRAM [PICTURES]   (both default to something sensible)
# Opens the bundled character and then a file, drags the head, plays, undoes, opens menus, closes. Fails when a
# picture is blank, when nothing moves that should, when the program complains or does not end by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/yuremono}")
pictures=$(realpath -m "${2:-target/window}")
character=${YUREMONO_CHARACTER:-assets/sample.vrm}
# Where the head's ring is on the first picture, and a quiet place above the ground; window pixels.
head_x=${HEAD_X:-720} head_y=${HEAD_Y:-230}
width=1440 height=900

mkdir -p "$pictures"
home=$(mktemp -d)
log=$home/log
pids=()
finish() {
    local code=$?
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    [ $code -eq 0 ] || { echo "--- the program said:"; cat "$log" 2>/dev/null || true; }
    rm -rf "$home"
    exit $code
}
trap finish EXIT
fail() { echo "FAILED: $*"; exit 1; }

export HOME=$home XDG_DATA_HOME=$home/data XDG_CONFIG_HOME=$home/config XDG_RUNTIME_DIR=$home
export LANG=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1 RUST_BACKTRACE=1 RUST_LOG=warn NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY
mkfifo "$home/display"
Xvfb -displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp 3>"$home/display" 2>/dev/null &
pids+=($!)
DISPLAY=:$(timeout 20 head -n 1 "$home/display") || fail "Xvfb does not start"
export DISPLAY
openbox 2>/dev/null &
pids+=($!)

now() { date +%s%3N; }
x() { timeout 10 xdotool "$@"; }
shot() { timeout 20 import -silent -window root "$pictures/$1.png"; }
colours() { timeout 20 identify -format '%k' "$pictures/$1.png"; }
# Share of pixels that differ by more than anti-aliasing does, in thousandths, inside an optional part WxH+X+Y.
apart() {
    local part=${3:-${width}x${height}+0+0}
    timeout 30 convert "$pictures/$1.png[$part]" "$pictures/$2.png[$part]" -compose difference -composite \
        -colorspace gray -threshold 4% -format '%[fx:int(mean*1000)]' info:
}
alive() { kill -0 "$app" 2>/dev/null || fail "the program is gone"; }
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$app/stat"; }
# Milliseconds until the middle of the window shows many colours: a character, not a bare ground.
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
            echo "${1:-no file}: on the screen after $(($(now) - from)) ms (with the time that looking takes)"
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
press() { x key --clearmodifiers "$@"; sleep 0.4; alive; }

# The bundled character, moving.
open_and_wait "$character"
sleep 1
shot 1-open
[ "$(colours 1-open)" -gt 2000 ] || fail "the first picture has $(colours 1-open) colours"
sleep 0.3
shot 2-moving
[ "$(apart 1-open 2-moving)" -ge 1 ] || fail "the character does not move"

# Paused: nothing moves, and nothing is drawn for nobody.
x mousemove 5 895
press space
sleep 4
shot 3-paused
before=$(cpu_ticks)
sleep 5
used=$(($(cpu_ticks) - before))
shot 4-still
echo "paused: $((used * 100 / (5 * $(getconf CLK_TCK)))) % of a core"
[ "$(apart 3-paused 4-still)" -eq 0 ] || fail "paused, and still something moves"
[ $used -le $((5 * $(getconf CLK_TCK) / 20)) ] || fail "paused, it keeps drawing"

# A hand on the head's ring.
x mousemove "$head_x" "$head_y"
sleep 0.3
x mousedown 1
for step in 1 2 3 4 5 6 7 8 9 10; do
    x mousemove $((head_x + step * 12)) $((head_y + step * 3))
    sleep 0.03
done
sleep 0.5
shot 5-dragged
x mouseup 1
alive
[ "$(apart 4-still 5-dragged)" -ge 5 ] || fail "the drag moves nothing: $(apart 4-still 5-dragged)"
sleep 3
shot 6-let-go
press space
press ctrl+z
press ctrl+shift+z
press 1
press 3
press f
shot 7-played
press c
shot 8-curves
press c
press F1
shot 9-shortcuts
press Escape
[ "$(apart 7-played 9-shortcuts)" -ge 5 ] || fail "F1 shows nothing"
press F10
shot 10-menu
press Escape
press Escape
x key ctrl+q
wait_for_end

# Without a file, and closed by the window manager.
open_and_wait
shot 11-sample
[ "$(colours 11-sample)" -gt 2000 ] || fail "without a file the bundled character should stand there"
x key alt+F4
wait_for_end
if grep -aniE 'panick|GL error|GL_INVALID|error:|ERROR' "$log"; then fail "the program complains"; fi
echo "the window opens, moves, rests, obeys and closes; pictures in $pictures"
