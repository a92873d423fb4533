#!/usr/bin/env bash
# Starts each package of target/package, after .ci/package.sh: each must check the bundled character.
#   .ci/start-packages.sh linux|windows|macos
set -euo pipefail
cd "$(dirname "$0")/.."
sample=$PWD/assets/sample.vrm
work=$(mktemp -d)
trap 'rm -rf "$work" || true' EXIT
cd target/package

check() {
    echo "--- $*"
    "$@" check "$sample" | tail -n 1
}
unpack() { tar xzf ./*.tar.gz -C "$work"; check "$work"/*/yuremono; }

linux() {
    unpack
    for image in ./*.AppImage; do
        [ -e "$image" ] || continue
        check "$image" --appimage-extract-and-run
        APPIMAGE_EXTRACT_AND_RUN=1 bash ../../.ci/window.sh "$PWD/$image" "$work/appimage"
    done
    for package in ./*.deb; do
        sudo apt-get install -y "$package" >/dev/null
        check yuremono
    done
    # A window, from the package.
    bash ../../.ci/window.sh "$(command -v yuremono)" "$work/pictures"
}

windows() {
    7z x -o"$work" ./*.zip >/dev/null
    check "$work"/*/yuremono.exe
    for setup in ./*-setup.exe; do
        "$setup" //S "//D=$(cygpath -w "$work/installed")"
        check "$work/installed/yuremono.exe"
    done
}

macos() {
    unpack
    for image in ./*.dmg; do
        hdiutil attach -quiet -mountpoint "$work/image" "$image"
        check "$work/image/Yuremono.app/Contents/MacOS/yuremono"
        hdiutil detach -quiet "$work/image"
    done
}

"$1"
