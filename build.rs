//! Rebuilds the package when a translation changes. `rust_i18n` reads the translations while compiling, which cargo
//! cannot detect.

fn main() {
    println!("cargo::rerun-if-changed=assets/locales");
    println!("cargo::rerun-if-changed=assets/messages");
}
