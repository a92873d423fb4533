//! The bundled character's springs as tables for `UnityChanSpringBone`: her own, calmer, livelier.

use anyhow::{Context as _, anyhow, ensure};
use yuremono::document::tune::Targets;
use yuremono::document::{Authored, Axis, ChainId, Document, Part};
use yuremono::exchange::{ExportOptions, export};
use yuremono::feel::{terms::FeelSet, terms::Feels};
use yuremono::format::open;
use yuremono::format::source::{Source, no_siblings};
use yuremono::format::tables::write_setup;
use yuremono::rig::Skeleton;
use yuremono::sim::{SolverKind, Term};

/// Name of the file, and what the feel of every chain is multiplied by; her own needs nothing. Her skirt stays as it is:
/// damped less, it rattles between two raised thighs.
const MOODS: [(&str, &[(Term, f32)]); 3] = [
    ("yure_Dynamics.csv", &[]),
    ("yure_calm_Dynamics.csv", &[(Term::Settle, 1.4), (Term::Speed, 0.8), (Term::Weight, 1.2)]),
    ("yure_lively_Dynamics.csv", &[(Term::Settle, 0.65), (Term::Speed, 1.2), (Term::Weight, 0.8)]),
];

/// How far parts swing from where they hang at most, degrees. Nothing pushes these: the engine limits after it collides,
/// so that a joint between a leg and its limit would never come to rest.
const REACHES: [(Part, f32); 1] = [(Part::Ear, 35.0)];

/// Significant digits: enough for a spring, and blind to the last bit of the platform's `exp`.
const DIGITS: u8 = 5;

/// Names and bytes of the tables of the character in `vrm`.
pub(crate) fn files(vrm: &[u8]) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let source = Source { name: "sample.vrm", bytes: vrm, sibling: &no_siblings };
    let opened = open::character_from(&source, &|_| true)
        .map_err(|said| anyhow!("{}", said.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))?
        .under(SolverKind::UnityChanSpringBone);
    let skeleton = &opened.character.skeleton;
    let mirror = Axis::usual(opened.character.facing);
    let options = ExportOptions { digits: Some(DIGITS), ..ExportOptions::with_mirror(mirror) };
    let table = |(name, scaled): &(&'static str, &[(Term, f32)])| {
        let document = in_mood(&opened.document, skeleton, scaled).with_context(|| format!("feeling for {name}"))?;
        Ok((*name, write_setup(&export(&document, skeleton, options).file, options)))
    };
    MOODS.iter().map(table).collect()
}

fn in_mood(document: &Document, skeleton: &Skeleton, scaled: &[(Term, f32)]) -> anyhow::Result<Document> {
    let mut document = document.clone();
    let free = document.chains.iter().filter(|(_, chain)| chain.part != Part::Skirt);
    let all = Targets { chains: free.map(|(id, _)| *id).collect(), joints: Vec::new() };
    for (term, factor) in scaled {
        let edit = Feels::new(&document, skeleton).scale(&all, *term, *factor);
        document.apply(edit)?;
    }
    for (part, degrees) in REACHES {
        let worn: Vec<ChainId> = document.chains.iter().filter(|(_, c)| c.part == part).map(|(id, _)| *id).collect();
        ensure!(!worn.is_empty(), "she has no {part:?}");
        let targets = Targets { chains: worn, joints: Vec::new() };
        let set = FeelSet { reach: Some(Authored { base: degrees, curve: None }), ..FeelSet::default() };
        let edit = Feels::new(&document, skeleton).apply(&targets, &set, &[Term::Reach], false);
        document.apply(edit)?;
    }
    Ok(document)
}
