#!/usr/bin/env bash
# Windows, end to end: builds yuremono.exe with MinGW, and runs it under Wine next to a Linux build.
#   .ci/windows.sh LINUX_PROGRAM [build|outputs|window|kills|paths|packages]...   (without steps: all)
# - build: target/windows/yuremono.exe.
# - outputs: the files and texts of all commands, compared with the Linux program byte for byte.
# - window: .ci/window.sh with the Windows program.
# - kills: .ci/kills.py with the Windows program.
# - paths: Japanese and UNC paths, CRLF line ends.
# - packages: the archive, and the installer of one user with its uninstaller.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh
enter_debian .ci/windows.sh "$@"
linux=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- build outputs window kills paths packages
work=$PWD/target/windows
target=x86_64-pc-windows-gnu
mkdir -p "$work"

part() { echo "--- $* ($(date +%T))"; }
fail() { echo "FAILED: $*"; exit 1; }

# Runs the Windows program with the arguments, the folder and the display of the caller. Its data folder is the one that
# a Linux program would use.
cat >"$work/yuremono" <<END
#!/usr/bin/env bash
if [ -n "\${XDG_DATA_HOME:-}" ]; then
    roaming=$work/wine/drive_c/users/root/AppData/Roaming/yuremono
    mkdir -p "\$XDG_DATA_HOME/yuremono" "\$roaming"
    ln -sfn "\$XDG_DATA_HOME/yuremono" "\$roaming/data"
fi
exec chroot "$debian" env -i PATH=/usr/bin:/bin HOME=/root WINEPREFIX="$work/wine" WINEDEBUG=-all \\
    XDG_RUNTIME_DIR=/tmp \\
    DISPLAY="\${DISPLAY:-}" LANG=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1 RUST_BACKTRACE=1 RUST_LOG="\${RUST_LOG:-}" \\
    sh -c 'cd "\$1" && shift && exec wine "\$@"' sh "\$PWD" "$work/yuremono.exe" "\$@"
END
chmod +x "$work/yuremono"

build() {
    inside env CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc cargo build --release --locked --quiet \
        -Zbuild-std=std,panic_unwind --target "$target" --target-dir target/windows/build
    cp "$work/build/$target/release/yuremono.exe" "$work/yuremono.exe"
    ls -l "$work/yuremono.exe"
}

outputs() {
    # WGL needs a window, and Wine needs a display for it.
    local display
    mkfifo "$work/display"
    Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
    display=:$(timeout 20 head -n 1 "$work/display")
    export DISPLAY=$display
    rm -rf "$work/outputs" "$work/display"
    mkdir -p "$work/outputs"
    for system in linux windows; do
        program=$linux
        [ $system = linux ] || program=$work/yuremono
        python3 .ci/outputs.py "$program" "$work/outputs/$system" "${YUREMONO_CHARACTER:-assets/sample.vrm}"
    done
    kill $!
    # Percentages of progress depend on the speed. The systems have different drivers, which draw different pictures.
    sed -i -E '/%/d; s/\r$//; s/drawn by .*/drawn/' "$work"/outputs/*/*.txt
    for picture in "$work"/outputs/linux/*.png; do
        compare -metric AE -fuzz 5% "$picture" "$work/outputs/windows/${picture##*/}" null: 2>&1 |
            awk -v name="${picture##*/}" '{ print name ": pixels that differ by more than 5 %: " $1; exit $1 > 2000 }'
        rm "$picture" "$work/outputs/windows/${picture##*/}"
    done
    diff -rq "$work/outputs/linux" "$work/outputs/windows" || fail "Windows and Linux write different files"
    echo "$(find "$work/outputs/linux" -type f | wc -l) files are equal"
}

window() {
    # The frame of Wine's windows moves the head. A paused window uses half a core without drawing: under Wine, the call that
    # waits for messages returns at once.
    HEAD_X=700 HEAD_Y=296 IDLE_PERCENT=80 TYPED_PICTURE="Z:${work//\//\\}\pictures\viewport.png" \
        bash .ci/window.sh "$work/yuremono" "$work/pictures"
}

kills() { python3 .ci/kills.py "$work/yuremono" 5; }

paths() {
    local folder=$work/paths deep long
    rm -rf "$folder"
    # Wine cannot resolve paths of more than 260 characters.
    deep=$(printf 'とても長いフォルダーの名前%.0s/' $(seq 8))
    long=$folder/$deep
    mkdir -p "$long"
    cp assets/sample.vrm "$long/キツネ 娘.vrm"
    "$work/yuremono" convert "$long/キツネ 娘.vrm" --format csv --out "$long/揺れ.csv"
    sed 's/$/\r/' "$long/揺れ.csv" >"$folder/crlf.csv"
    for setup in "$long/揺れ.csv" "$folder/crlf.csv"; do
        "$work/yuremono" convert assets/sample.vrm --setup "$setup" --format csv --overwrite --out "$folder/out.csv"
        "$linux" convert assets/sample.vrm --setup "$setup" --format csv --overwrite --out "$folder/expected.csv"
        cmp "$folder/out.csv" "$folder/expected.csv"
    done
    # Wine serves \\?\unix as a UNC path.
    "$work/yuremono" check "\\\\?\\unix$(realpath assets/sample.vrm)"
    echo "Japanese and UNC paths work"
}

packages() {
    local out=$PWD/target/package installed=$work/wine/drive_c/users/root/AppData/Local/Programs/Yuremono
    local wine=(inside env "WINEPREFIX=$work/wine" WINEDEBUG=-all wine)
    rm -rf "$out" "$work/unpacked" "$installed"
    inside bash .ci/package.sh "$work/yuremono.exe" windows x86_64
    inside unzip -q "$out/yuremono"*.zip -d "$work/unpacked"
    "${wine[@]}" "$work/unpacked"/*/yuremono.exe check assets/sample.vrm | tail -n 1
    "${wine[@]}" "$out"/*-setup.exe /S
    "${wine[@]}" "$installed/yuremono.exe" check assets/sample.vrm | tail -n 1
    # The uninstaller copies itself, and ends before the copy has deleted the folder.
    "${wine[@]}" "$installed/uninstall.exe" /S
    timeout 60 sh -c 'while [ -e "$1" ]; do sleep 1; done' sh "$installed" || fail "the uninstaller leaves $installed"
    echo "the archive, the installer and the uninstaller work"
}

for step in "$@"; do
    part "$step"
    "$step"
done
