#!/usr/bin/env bash
# The page: builds target/web, and uses it in headless Chromium.
#   .ci/web.sh [build|test]...   (without steps: both)
# `build` uses the Rust toolchain of this computer if it has the sources of the standard library (`rustup component add
# rust-src`), and Debian sid otherwise. Shared memory needs a standard library that is compiled for it. `test` leaves
# pictures in target/web-pictures.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh
[ $# -gt 0 ] || set -- build test
cargo=(cargo)
if [[ " $* " == *" build "* && ! -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then
    enter_debian .ci/web.sh "$@"
    cargo=(inside cargo)
fi
tools=$PWD/target/tools
bindgen=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
page=$PWD/target/web
flags=(-C target-feature=+simd128,+atomics,+bulk-memory,+mutable-globals)
for flag in --shared-memory --import-memory --max-memory=4294967296 --export=__wasm_init_tls --export=__tls_size \
    --export=__tls_align --export=__tls_base --export=__heap_base -zstack-size=4194304; do
    flags+=(-C "link-arg=$flag")
done

build() {
    RUSTC_BOOTSTRAP=1 "${cargo[@]}" build --profile web --locked --quiet --bin yuremono \
        --config "target.wasm32-unknown-unknown.rustflags=[$(printf '"%s",' "${flags[@]}")]" \
        -Zbuild-std=std,panic_abort --target wasm32-unknown-unknown --target-dir target/web-build
    if [ "$("$tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $bindgen" ]; then
        cargo install --quiet --root "$tools" --target-dir target/tools-build "wasm-bindgen-cli@$bindgen"
    fi
    [ -x "$tools/node_modules/.bin/wasm-opt" ] || npm install --silent --no-save --prefix "$tools" binaryen
    rm -rf "$page"
    "$tools/bin/wasm-bindgen" --target web --no-typescript --out-dir "$page" \
        target/web-build/wasm32-unknown-unknown/web/yuremono.wasm
    "$tools/node_modules/.bin/wasm-opt" -O2 --enable-simd --enable-threads --enable-bulk-memory --enable-mutable-globals \
        --enable-nontrapping-float-to-int --enable-sign-ext --enable-reference-types --enable-multivalue \
        "$page/yuremono_bg.wasm" -o "$page/yuremono_bg.wasm.small"
    mv "$page/yuremono_bg.wasm.small" "$page/yuremono_bg.wasm"
    cp assets/web/{index.html,start.js,worker.js,isolation.js} assets/icon/icon.svg "$page"
    find "$page" -type f -printf '%P\n' | sort | while read -r file; do
        printf '%9d bytes, %9d compressed  %s\n' "$(stat -c %s "$page/$file")" "$(gzip -9c "$page/$file" | wc -c)" "$file"
    done
    echo "compressed: $(tar c -C "$page" . | gzip -9 | wc -c) bytes"
}

test() {
    if ! command -v chromium >/dev/null; then
        apt-get install -qq -y --no-install-recommends chromium </dev/null >/dev/null
    fi
    [ -d "$tools/node_modules/playwright-core" ] ||
        npm install --silent --no-save --prefix "$tools" playwright-core
    NODE_PATH=$tools/node_modules node tests/web/page.mjs "$page" "$PWD/target/web-pictures"
}

for step in "$@"; do "$step"; done
