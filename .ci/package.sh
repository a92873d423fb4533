#!/usr/bin/env bash
# Packs a release build for download, into target/package.
#   .ci/package.sh PROGRAM linux|windows|macos PROCESSOR
# - linux: a .deb, an AppImage and a .tar.gz. Needs dpkg-deb and appimagetool.
# - windows: a .zip and an installer. Needs zip and makensis.
# - macos: a .dmg and a .tar.gz. Needs the tools of macOS.
# All need cargo, for the licences of the libraries.
# Each package contains the program and the licences, and each archive also the documents. Presets, texts, fonts and the
# bundled character are inside the program.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 system=$2 processor=$3
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
out=$PWD/target/package
name=yuremono-$version-$system-$processor
folder=$out/$name
mkdir -p "$out"

case $system in
    linux) target=$processor-unknown-linux-gnu ;;
    windows) target=$processor-pc-windows-msvc ;;
    macos) target=$processor-apple-darwin ;;
esac
# The licences of the libraries in the program. Of several licences to choose from, only the MIT text is copied.
library_licences=$out/LICENSES-LIBRARIES.txt
licence_texts() {
    find "$1" -maxdepth 2 -type f \( -iname '*licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname '[ou]fl.txt' \
        -o -path '*/LICENSES/*' \) 2>/dev/null | sort || true
}
crates=$(cargo tree --locked --package yuremono --edges normal --target "$target" --prefix none --format '{p}|{l}|{r}')
sed -E 's/ \((\*|proc-macro)\)//g' <<<"$crates" | grep -v '^yuremono' | sort -u |
    while IFS='|' read -r crate licence repository; do
        printf '\n%s\n%s: %s\n%s\n\n' "$(printf '=%.0s' {1..80})" "$crate" "$licence" "$repository"
        folders=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"${crate/ v/-}")
        texts=$(licence_texts "${folders[0]}")
        mit=$(grep -i 'mit[^/]*$' <<<"$texts" || true)
        if [ -n "$mit" ] && [[ $licence != *' AND '* ]]; then texts=$mit; fi
        if [ -n "$texts" ]; then
            while read -r text; do cat "$text"; done <<<"$texts"
        elif [[ $licence == *Apache-2.0* ]]; then
            echo "Used under the Apache License 2.0: see LICENSE-APACHE."
        elif [[ $licence == *MIT* ]]; then
            sed "s/^Copyright .*/Copyright (c) the authors of ${crate/ v*/}/" LICENSE-MIT
        elif [ "$licence" = BSL-1.0 ]; then
            echo "The Boost Software License 1.0 asks for no notice in a compiled program."
        else
            echo "$crate has no licence text" >&2
            exit 1
        fi
    done >"$library_licences"
licences=(LICENSE-APACHE LICENSE-MIT "$library_licences" assets/fonts/{MIT,OFL}-*.txt)

# The folder of the archives.
rm -rf "$folder"
mkdir -p "$folder/assets/fonts"
cp "$program" README.md README.ja.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$library_licences" "$folder"
cp -r docs "$folder"
cp -r assets/readme assets/schema assets/README.md "$folder/assets"
cp assets/fonts/README.md assets/fonts/{MIT,OFL}-*.txt "$folder/assets/fonts"

# /usr with the program, its icon, its entry in menus and its file types.
usr() {
    local usr=$1
    install -D -m 755 "$program" "$usr/bin/yuremono"
    install -D -m 644 assets/linux/yuremono.desktop "$usr/share/applications/yuremono.desktop"
    install -D -m 644 assets/linux/yuremono.xml "$usr/share/mime/packages/yuremono.xml"
    install -D -m 644 assets/icon/icon.svg "$usr/share/icons/hicolor/scalable/apps/yuremono.svg"
    install -D -m 644 assets/icon/icon.png "$usr/share/icons/hicolor/256x256/apps/yuremono.png"
    install -D -m 644 -t "$usr/share/doc/yuremono" "${licences[@]}"
}

linux() {
    local deb=$out/deb app=$out/AppDir architecture libc
    tar czf "$out/$name.tar.gz" -C "$out" "$name"
    rm -rf "$deb" "$app"
    usr "$deb/usr"
    install -D -m 644 LICENSE-MIT "$deb/usr/share/doc/yuremono/copyright"
    mkdir -p "$deb/usr/share/man/man1" "$deb/usr/share/bash-completion/completions"
    "$program" man | gzip -9n >"$deb/usr/share/man/man1/yuremono.1.gz"
    "$program" completions bash >"$deb/usr/share/bash-completion/completions/yuremono"
    architecture=$(dpkg --print-architecture)
    libc=$(grep -ao 'GLIBC_2\.[0-9]*' "$program" | sort -V | tail -n 1)
    mkdir -p "$deb/DEBIAN"
    # The libraries of windows are loaded at run time, so that the list is written by hand: see README.md.
    cat >"$deb/DEBIAN/control" <<END
Package: yuremono
Version: $version
Architecture: $architecture
Maintainer: The Yuremono developers <yuremono@localhost>
Section: graphics
Priority: optional
Installed-Size: $(du -ks "$deb/usr" | cut -f1)
Depends: libc6 (>= ${libc#GLIBC_}), libgcc-s1, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon-x11-0, libgl1, libegl1, libfontconfig1, libdbus-1-3
Recommends: xdg-desktop-portal-gtk | xdg-desktop-portal-backend | zenity
Description: studio for secondary motion of game and avatar characters
 Tune hair, skirts, tails and ribbons of VRM, glTF and FBX characters while they move, and take the result to Unity, to
 another character or back into the VRM.
END
    dpkg-deb --root-owner-group --build "$deb" "$out/yuremono_${version}_$architecture.deb"
    usr "$app/usr"
    ln -s usr/bin/yuremono "$app/AppRun"
    cp assets/linux/yuremono.desktop "$app"
    cp assets/icon/icon.png "$app/yuremono.png"
    if command -v appimagetool >/dev/null; then
        ARCH=$processor appimagetool --no-appstream "$app" "$out/yuremono-$version-$processor.AppImage"
    elif [ -n "${CI:-}" ]; then
        echo "appimagetool is not installed"
        exit 1
    else
        echo "skipped: the AppImage, because appimagetool is not installed"
    fi
    rm -r "$deb" "$app"
}

windows() {
    if command -v zip >/dev/null; then
        (cd "$out" && zip -qr "$name.zip" "$name")
    else
        (cd "$out" && 7z a "$name.zip" "$name" >/dev/null)
    fi
    makensis -V2 "-DVERSION=$version" "-DFOLDER=$folder" "-DICON=$PWD/assets/icon/icon.ico" \
        "-DOUT=$out/$name-setup.exe" assets/windows/installer.nsi
}

macos() {
    local app=$out/dmg/Yuremono.app
    tar czf "$out/$name.tar.gz" -C "$out" "$name"
    rm -rf "$out/dmg"
    mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources" "$out/icon.iconset"
    cp "$program" "$app/Contents/MacOS/yuremono"
    cp "${licences[@]}" "$app/Contents/Resources"
    sed "s/VERSION/$version/" assets/macos/Info.plist >"$app/Contents/Info.plist"
    for size in 16 32 128 256; do
        sips -z $size $size assets/icon/icon.png --out "$out/icon.iconset/icon_${size}x$size.png" >/dev/null
    done
    iconutil -c icns -o "$app/Contents/Resources/icon.icns" "$out/icon.iconset"
    # macOS starts no program of this processor without a signature, not even an own one.
    codesign --force --sign - "$app"
    ln -s /Applications "$out/dmg/Applications"
    hdiutil create -quiet -volname Yuremono -srcfolder "$out/dmg" -ov "$out/$name.dmg"
    rm -r "$out/dmg" "$out/icon.iconset"
}

"$system"
rm -r "$folder" "$library_licences"
ls -l "$out"
