//! The text formats by name.

use yuremono::exchange::TableFormat;
use yuremono::format::{dynamic_bone_csv, ez_json, kawaii_json, setup_json, unity_csv};

pub(crate) const CSV: TableFormat = &unity_csv::INFO;
pub(crate) const PARAMETERS: TableFormat = &setup_json::INFO;
pub(crate) const DYNAMIC_BONE_CSV: TableFormat = &dynamic_bone_csv::INFO;
pub(crate) const KAWAII_JSON: TableFormat = &kawaii_json::INFO;
pub(crate) const EZ_JSON: TableFormat = &ez_json::INFO;
