//! The layout of Yuremono's own JSON files.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Returns the bytes of a JSON file. Numbers are written as their shortest decimals.
pub(super) fn to_json_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut json = serde_json::Serializer::with_formatter(&mut bytes, InlineArrayFormatter::default());
    value.serialize(&mut json).expect("a setup is plain data");
    bytes.push(b'\n');
    bytes
}

/// Writes each field of an object on its own line, and the items of a list, such as a recorded motion, without line
/// breaks.
#[derive(Default)]
struct InlineArrayFormatter {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for InlineArrayFormatter {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}
