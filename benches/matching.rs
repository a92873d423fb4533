//! Measures the motion fit between solvers: the remaining error and the run time. Run `cargo bench --bench matching`.
//!
//! The bundled character turns and lifts a leg. Each pair of solvers is measured with thirty joints, which is typical
//! for a character, and then with all joints. Errors are root mean square distances between tips, in centimetres. Times
//! are for one core.

#![expect(clippy::print_stdout, reason = "the table is the result")]
#![expect(clippy::disallowed_methods, reason = "this measures time")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::unity_csv;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::ImportPlan;
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::convert::motion_fit::MotionDifference;
use yuremono_model::job::JobControl;
use yuremono_session::{Command, Motion, MotionFitJob, Session};
use yuremono_sim::SolverKind;

const SOLVER_PAIRS: [(SolverKind, SolverKind); 3] = [
    (SolverKind::DynamicBone, SolverKind::UnityChanSpringBone),
    (SolverKind::Vrm, SolverKind::KawaiiPhysics),
    (SolverKind::UnityChanSpringBone, SolverKind::Vrm),
];

fn main() {
    println!("{:>20} {:>20} {:>7} {:>10} {:>10} {:>9}", "from", "to", "joints", "before cm", "after cm", "seconds");
    for joints in [30, usize::MAX] {
        for (from, to) in SOLVER_PAIRS {
            print_row(from, to, joints);
        }
    }
}

/// Returns the bundled character with its own table, converted to `solver`. Keeps the first chains with at most
/// `max_joints` joints in total.
fn sample_with_solver(solver: SolverKind, max_joints: usize) -> OpenedCharacter {
    let at = |file: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let opened = open::character(&at("assets/sample.vrm"), &|_| true).expect("a readable character");
    let mut opened = opened.converted_to(SolverKind::UnityChanSpringBone);
    let bytes = std::fs::read(at("presets/sample/yure_Dynamics.csv")).expect("a file");
    let (file, _) = unity_csv::read(&bytes, "yure_Dynamics.csv").expect("a table");
    let file = to_gltf(file, FlipAxis::default_for(opened.character.facing));
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &BTreeMap::new());
    let edit = plan.edit(&opened.document, &opened.character.skeleton);
    opened.document.apply(edit).expect("her own table");
    let mut joints = 0;
    opened.document.chains.retain(|_, chain| {
        let fits = joints + chain.joints.len() <= max_joints;
        joints += if fits { chain.joints.len() } else { 0 };
        fits
    });
    opened.document = convert(&opened.document, &opened.character, solver).after;
    opened
}

fn print_row(from: SolverKind, to: SolverKind, max_joints: usize) {
    let opened = sample_with_solver(from, max_joints);
    let joints = opened.document.joint_count();
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let job = MotionFitJob::new(&session, &session.inspection().selected_chains(), to);
    let begun = Instant::now();
    let found = job.run(JobControl::ONE_THREAD).expect("the fit was not cancelled");
    let seconds = begun.elapsed().as_secs_f64();
    let cm = |off: MotionDifference| 100.0 * off.metres;
    let (before, after) = (cm(found.formula_difference), cm(found.fitted_difference));
    println!("{:>20} {:>20} {joints:>7} {before:>10.3} {after:>10.3} {seconds:>9.1}", from.key(), to.key());
}
