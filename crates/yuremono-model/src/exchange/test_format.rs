//! A format for the tests of this module, which knows no codec.

use crate::exchange::{FormatInfo, FormatSignature, SetupFormat, SetupLayout};

/// Returns a table that stores all shapes and cannot be read or written.
pub(super) const fn test_format() -> SetupFormat {
    &FormatInfo {
        key: "test",
        label: "Test",
        hint: "",
        doc: "",
        extensions: &["test"],
        solver: None,
        layout: SetupLayout::Rows,
        signature: FormatSignature::AnyText,
        single_node_lists: &[],
        stores_shape: |_| true,
        has_cell_names: true,
        has_flip_axis: true,
        read: |_, _| Err(Vec::new()),
        write: |_, _| Vec::new(),
        unwritable_names: |_, _| Vec::new(),
    }
}
