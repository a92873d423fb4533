//! Messages about the result of a bake.

use super::{BakedMotion, LoopClosure, LoopReport, SeamReason, SeamSize};
use crate::diagnostics::{Diagnostic, Location, MessageText, counted, excerpt, join_first_names, message};
use crate::rig::Character;

impl BakedMotion {
    /// Returns messages about a loop with a seam, and about chains that left their bounds. `name` is the name of the
    /// character file.
    pub fn findings(&self, character: &Character, name: &str) -> Vec<Diagnostic> {
        let place = || Location::file(name);
        let mut findings = Vec::new();
        if let Some(LoopReport { cycles, seam, closure }) = &self.loop_report {
            let seam_text = seam_text(seam);
            match closure {
                LoopClosure::Closed => {}
                LoopClosure::Blended { seconds } => findings.push(Diagnostic::info(
                    place(),
                    message!(
                        "the end of the loop is blended into its start over {seconds} s: {seam}",
                        seconds = format!("{seconds:.2}"),
                        seam = seam_text
                    ),
                )),
                LoopClosure::Open(reason) => findings.push(Diagnostic::warning(
                    place(),
                    message!(
                        "the loop does not close after {cycles}: {seam}; {reason}",
                        cycles = counted(*cycles as usize, "{n} cycle", "{n} cycles"),
                        seam = seam_text,
                        reason = seam_reason_text(*reason)
                    ),
                )),
            }
        }
        let bones: Vec<String> =
            self.out_of_bounds.iter().map(|bone| character.skeleton.name(*bone).to_owned()).collect();
        if !bones.is_empty() {
            let names = join_first_names(&bones, ", ");
            let message = message!("chains left their bounds and returned to their rest pose: {names}", names);
            findings.push(Diagnostic::warning(place(), message));
        }
        findings
    }
}

fn seam_text(seam: &SeamSize) -> MessageText {
    message!(
        "\"{bone}\" ends {angle} degrees and {distance} mm away from its start",
        bone = excerpt(&seam.bone),
        angle = format!("{:.2}", seam.degrees),
        distance = format!("{:.2}", 1000.0 * seam.metres)
    )
}

fn seam_reason_text(reason: SeamReason) -> MessageText {
    match reason {
        SeamReason::MotionDoesNotLoop => message!("the motion itself does not end in its first pose"),
        SeamReason::NeverSettles => message!("the swing does not settle into the rhythm of the motion"),
        SeamReason::Chaotic => message!("the swing is chaotic: equal cycles of the motion give different swings"),
    }
}
