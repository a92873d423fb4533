# Sourced by windows.sh and web.sh: a folder with Debian sid below target/, which is made at the first use (five minutes,
# 4 GB). Sid has a standard library for the browser, a cross compiler for Windows, and a Wine with the libraries that
# Rust uses. Needs root, for chroot.
#
# After `enter_debian "$0" ARGUMENTS...`, the script runs again in its own mount namespace, and `inside COMMAND...` runs a
# command in the folder. The project and the cargo registry have the same paths there.

debian=$PWD/target/debian

inside() {
    chroot "$debian" env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 \
        sh -c 'cd "$1" && shift && exec "$@"' sh "$PWD" "$@"
}

enter_debian() {
    if [ -z "${YUREMONO_OWN_MOUNTS:-}" ]; then
        YUREMONO_OWN_MOUNTS=1 exec unshare --mount --propagation private bash "$@"
    fi
    local registry=${CARGO_HOME:-$HOME/.cargo}/registry
    if [ ! -f "$debian/complete" ]; then
        echo "making $debian"
        command -v debootstrap >/dev/null ||
            apt-get install -qq -y --no-install-recommends debootstrap </dev/null >/dev/null
        rm -rf "$debian"
        mkdir -p "$debian"
        debootstrap --variant=minbase sid "$debian" >/dev/null
    fi
    mount --rbind /dev "$debian/dev"
    mount -t proc proc "$debian/proc"
    mkdir -p "$debian/root/.cargo/registry" "$debian$PWD" "$registry"
    mount --rbind "$PWD" "$debian$PWD"
    mount --rbind "$registry" "$debian/root/.cargo/registry"
    if [ ! -f "$debian/complete" ]; then
        # A mirror can be older than its list says.
        inside apt-get -qq -o Acquire::Check-Valid-Until=false update
        inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install ca-certificates \
            rustc cargo rust-src libstd-rust-dev-wasm32 lld clang wasi-libc gcc libc6-dev gcc-mingw-w64-x86-64-win32 \
            wine wine64 nsis zip unzip libgl1 libgl1-mesa-dri >/dev/null
        # The name under which rustc looks for the linker of the browser.
        inside ln -sf lld /usr/bin/rust-lld
        # The certificates of this computer.
        cp -L /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/ca-certificates.crt"
        touch "$debian/complete"
    fi
    # Temporary folders and the sockets of X11 have the same paths inside and outside.
    mount --rbind /tmp "$debian/tmp"
}
