//! Messages about a bake and about its result.

use super::error::seconds_text;
use super::{BakeJob, BakedMotion, LoopClosure, LoopReport, SeamReason, UnbakedParent};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};
use yuremono_sim::rig::Character;

impl BakeJob {
    /// Returns messages that are known before the simulation. [`BakedMotion::findings`] repeats them.
    pub fn findings(&self, name: &str) -> Vec<Diagnostic> {
        unbaked_parent_findings(&self.unbaked_parents, name)
    }
}

impl BakedMotion {
    /// Returns messages about a loop with a seam, about baked chains on chains that are not baked, and about chains that
    /// left their bounds. `name` is the name of the character file.
    pub fn findings(&self, character: &Character, name: &str) -> Vec<Diagnostic> {
        let place = || Location::file(name);
        let mut findings = unbaked_parent_findings(&self.unbaked_parents, name);
        if let Some(LoopReport { cycles, seam, closure }) = &self.loop_report {
            let seam_text = seam.text(2);
            match closure {
                LoopClosure::Closed => {}
                LoopClosure::Blended { seconds } => findings.push(Diagnostic::info(
                    place(),
                    message!(
                        "the end of the loop is blended into its start over {seconds} s: {seam}",
                        seconds = seconds_text(*seconds),
                        seam = seam_text
                    ),
                )),
                LoopClosure::Open(reason) => findings.push(Diagnostic::warning(
                    place(),
                    message!(
                        "the loop does not close after {cycles}: {seam}; {reason}",
                        cycles = message!("{n:cycle|cycles}", n = *cycles as usize),
                        seam = seam_text,
                        reason = seam_reason_text(*reason)
                    ),
                )),
            }
        }
        let bones: Vec<String> =
            self.out_of_bounds.iter().map(|bone| character.skeleton.name(*bone).to_owned()).collect();
        if !bones.is_empty() {
            let names = join_first_names(&bones);
            let message = message!("chains left their bounds and returned to their rest pose: {names}", names);
            findings.push(Diagnostic::warning(place(), message));
        }
        findings
    }
}

fn unbaked_parent_findings(pairs: &[UnbakedParent], name: &str) -> Vec<Diagnostic> {
    let finding = |UnbakedParent { chain, parent }: &UnbakedParent| {
        let message = message!(
            "the chain \"{chain}\" is below the chain \"{parent}\", which is not baked, so its pose will be wrong; bake \
             \"{parent}\" too",
            chain = excerpt(chain),
            parent = excerpt(parent)
        );
        Diagnostic::warning(Location::file(name), message)
    };
    pairs.iter().map(finding).collect()
}

fn seam_reason_text(reason: SeamReason) -> MessageText {
    match reason {
        SeamReason::MotionDoesNotLoop => message!("the motion itself does not end in its first pose"),
        SeamReason::NeverSettles => message!("the swing does not settle into the rhythm of the motion"),
        SeamReason::Chaotic => message!("the swing is chaotic: equal cycles of the motion give different swings"),
    }
}
