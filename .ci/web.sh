#!/usr/bin/env bash
# The page: builds target/web, and compares it with a desktop program.
#   .ci/web.sh PROGRAM [build|recordings|test]...   (without steps: all)
# - build: target/web.
# - recordings: the tests of all solvers with their recorded motion, on the engine of Chromium.
# - test: the page in headless Chromium, which must write the same files as PROGRAM. Leaves pictures in
#   target/web-pictures.
# The compiler is that of this computer if it has the sources of the standard library (`rustup component add rust-src`), and
# that of Debian sid otherwise. Shared memory needs a standard library that is compiled for it.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh
# ufbx is written in C. A browser has no C library: the program brings the functions that ufbx calls.
c_flags=(TARGET_CC=clang
    TARGET_CFLAGS="-O2 -ffreestanding -matomics -mbulk-memory -msimd128 -DUFBX_NO_LIBC -DUFBX_NO_STDIO")
cargo=(env "${c_flags[@]}" cargo)
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then
    enter_debian .ci/web.sh "$@"
    cargo=(inside env "${c_flags[@]}" cargo)
fi
program=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- build recordings test
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
    rm -rf "$page"
    # wasm-opt makes the download larger: 10.8 instead of 10.4 MB.
    "$tools/bin/wasm-bindgen" --target web --no-typescript --remove-name-section --remove-producers-section \
        --out-dir "$page" target/web-build/wasm32-unknown-unknown/web/yuremono.wasm
    cp assets/web/{index.html,start.js,worker.js,isolation.js} assets/icon/icon.svg "$page"
    find "$page" -type f -printf '%P\n' | sort | while read -r file; do
        printf '%9d bytes, %9d compressed  %s\n' "$(stat -c %s "$page/$file")" "$(gzip -9c "$page/$file" | wc -c)" "$file"
    done
    echo "compressed: $(tar c -C "$page" . | gzip -9 | wc -c) bytes"
}

recordings() {
    local log tests
    log=$("${cargo[@]}" test --locked -p yuremono-sim --test suite --no-run --target wasm32-wasip1 \
        --target-dir target/web-build --config 'target.wasm32-wasip1.rustflags=["-C", "target-feature=+simd128"]' 2>&1) ||
        { echo "$log"; return 1; }
    tests=$(sed -n 's/.*(\(target.*\.wasm\))/\1/p' <<<"$log")
    node --no-warnings tests/web/recordings.mjs "$tests"
}

test() {
    local browser
    browser=$(command -v chromium || command -v google-chrome || true)
    if [ -z "$browser" ]; then
        apt-get install -qq -y --no-install-recommends chromium </dev/null >/dev/null
        browser=/usr/bin/chromium
    fi
    [ -d "$tools/node_modules/playwright-core" ] ||
        npm install --silent --no-save --prefix "$tools" playwright-core
    NODE_PATH=$tools/node_modules node tests/web/page.mjs "$browser" "$page" "$PWD/target/web-pictures" "$program"
}

for step in "$@"; do "$step"; done
