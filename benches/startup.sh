#!/usr/bin/env bash
# Milliseconds from the start of the program to a window with a character in it, under Xvfb with a software driver:
#   benches/startup.sh [PROGRAM] [CHARACTER] [RUNS]
# The middle of the window is captured until it has many colours; a capture takes about 0.1 s.
set -euo pipefail
program=${1:-target/release/yuremono} character=${2:-assets/sample.vrm} runs=${3:-5}
home=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$home"' EXIT
export HOME=$home XDG_DATA_HOME=$home XDG_RUNTIME_DIR=$home LANG=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1
# Only the X server of this script draws.
unset WAYLAND_DISPLAY WAYLAND_SOCKET
mkfifo "$home/display"
Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp 3>"$home/display" 2>/dev/null &
pids+=($!)
DISPLAY=:$(timeout 20 head -n 1 "$home/display")
export DISPLAY
fail() {
    echo "$1:" >&2
    cat "$home/stderr" >&2
    exit 1
}
for _ in $(seq "$runs"); do
    from=$(date +%s%3N)
    "$program" "$character" 2>"$home/stderr" &
    app=$!
    pids+=("$app")
    until [ "$(timeout 20 import -silent -window root -crop 400x700+520+120 ppm:- | identify -format '%k' -)" -gt 1500 ]; do
        kill -0 "$app" 2>/dev/null || fail "$program ended before it drew its window"
        [ $(($(date +%s%3N) - from)) -lt 60000 ] || fail "the window of $program stays empty"
    done
    echo $(($(date +%s%3N) - from)) >>"$home/times"
    kill "$app"
    wait "$app" 2>/dev/null || true
done
sort -n "$home/times" | awk '{ t[NR] = $1 } END { print "median " t[int((NR + 1) / 2)] " ms, fastest " t[1] " ms, of " NR " runs" }'
