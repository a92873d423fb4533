//! Setups of the bundled character for `UnityChanSpringBone`: default, calm and lively.

use anyhow::{Context as _, anyhow, ensure};
use yuremono_format::open;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::tables::write_setup;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainPart, ChainValue, Document, FlipAxis};
use yuremono_model::exchange::{ExportOptions, export};
use yuremono_model::feel::{params::FeelContext, params::FeelSet};
use yuremono_sim::rig::Skeleton;
use yuremono_sim::{FeelParam, SolverKind};

/// File names, and factors that scale the feel of every chain except the skirt. With less damping, the skirt would
/// jitter between two raised thighs.
const TABLE_VARIANTS: [(&str, &[(FeelParam, f32)]); 3] = [
    ("yure_Dynamics.csv", &[]),
    ("yure_calm_Dynamics.csv", &[(FeelParam::Settling, 1.4), (FeelParam::Speed, 0.8), (FeelParam::Weight, 1.2)]),
    ("yure_lively_Dynamics.csv", &[(FeelParam::Settling, 0.65), (FeelParam::Speed, 1.2), (FeelParam::Weight, 0.8)]),
];

/// Maximum angles of parts, in degrees. The table lists only parts that collide with nothing: `UnityChanSpringBone`
/// applies limits after collisions, so a joint between a leg and its limit would never come to rest.
const MAX_ANGLES_DEG: [(ChainPart, f32); 1] = [(ChainPart::Ear, 35.0)];

/// Five digits are accurate enough for a spring, and independent of the last bit of the platform's `exp`.
const SIGNIFICANT_DIGITS: u8 = 5;

/// Returns the names and bytes of the tables for the character in `vrm`.
pub(crate) fn table_files(vrm: &[u8]) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let source = SourceFile { name: "sample.vrm", bytes: vrm, read_sibling: &no_siblings };
    let opened = open::character_from_source(&source, &|_| true)
        .map_err(|errors| anyhow!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))?
        .converted_to(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let mirror = FlipAxis::default_for(opened.character.facing);
    let options = ExportOptions {
        significant_digits: Some(SIGNIFICANT_DIGITS),
        ..ExportOptions::new(yuremono_format::DEFAULT_FORMAT).with_flip_axis(mirror)
    };
    let table = |(name, scaled): &(&'static str, &[(FeelParam, f32)])| {
        let document =
            scaled_document(&opened.document, skeleton, scaled).with_context(|| format!("feeling for {name}"))?;
        Ok((*name, write_setup(&export(&document, skeleton, options).file, options)))
    };
    TABLE_VARIANTS.iter().map(table).collect()
}

fn scaled_document(document: &Document, skeleton: &Skeleton, scaled: &[(FeelParam, f32)]) -> anyhow::Result<Document> {
    let mut document = document.clone();
    let free = document.chains.iter().filter(|(_, chain)| chain.part != ChainPart::Skirt);
    let all = EditTargets { chains: free.map(|(id, _)| *id).collect(), joints: Vec::new() };
    for (term, factor) in scaled {
        let edit = FeelContext::new(&document, skeleton).scale_feel(&all, *term, *factor);
        document.apply(edit)?;
    }
    for (part, degrees) in MAX_ANGLES_DEG {
        let worn: Vec<ChainId> = document.chains.iter().filter(|(_, c)| c.part == part).map(|(id, _)| *id).collect();
        ensure!(!worn.is_empty(), "she has no {part:?}");
        let targets = EditTargets { chains: worn, joints: Vec::new() };
        let set = FeelSet { max_angle: Some(ChainValue::constant(degrees)), ..FeelSet::default() };
        let edit = FeelContext::new(&document, skeleton).apply_feel(&targets, &set, &[FeelParam::MaxAngle], false);
        document.apply(edit)?;
    }
    Ok(document)
}
