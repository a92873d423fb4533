//! Steps in real time that follow a sender of live motion.

use super::output::failure;
use crate::vmc::{LiveReceiver, ReceiverOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yuremono_format::open::file_name;
use yuremono_session::{Command, Motion, Session, TICK_SECONDS};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// How long the first pose is awaited.
const FIRST_POSE: Duration = Duration::from_secs(10);
/// How long the rest of the first frame is awaited.
const FIRST_FRAME: Duration = Duration::from_millis(100);
/// Time between two looks at the socket.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A receiver, and the times at which it and the steps started.
#[derive(Debug)]
pub(super) struct LiveSteps {
    receiver: LiveReceiver,
    start: Instant,
    steps_start: Instant,
}

impl LiveSteps {
    /// Listens on a port, and waits for the first pose. The character starts at rest in this pose.
    pub(super) fn start(port: u16, session: &mut Session) -> anyhow::Result<Self> {
        let options = ReceiverOptions { port, ..ReceiverOptions::default() };
        let receiver = LiveReceiver::start(options, session.character()).map_err(failure)?;
        session.handle(Command::SetMotion(Motion::Live));
        let start = now();
        let mut live = Self { receiver, start, steps_start: start };
        while !live.poll(session) {
            if live.start.elapsed() > FIRST_POSE {
                let unusable = live.receiver.status().unusable_count as usize;
                return Err(failure(match unusable {
                    0 => message!(
                        "port {port}: no pose in 10 s; expected a sender of the VMC protocol. Nothing is written",
                        port
                    ),
                    n => message!(
                        "port {port}: no pose in 10 s, but {n:unusable message|unusable messages}; expected a sender of the VMC \
                         protocol. Nothing is written",
                        port,
                        n
                    ),
                }));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        // The bones of a frame can be in several datagrams.
        let first = now();
        while first.elapsed() < FIRST_FRAME {
            std::thread::sleep(POLL_INTERVAL);
            live.poll(session);
        }
        session.handle(Command::ResetPose);
        Ok(live)
    }

    /// Starts to count steps.
    pub(super) fn start_steps(&mut self) {
        self.steps_start = now();
    }

    /// Waits for the time of a step, and passes what has arrived to the session.
    pub(super) fn wait_for(&mut self, step: u64, session: &mut Session) {
        let due = Duration::from_secs_f64((step + 1) as f64 * TICK_SECONDS);
        while self.steps_start.elapsed() < due {
            std::thread::sleep(POLL_INTERVAL);
            self.poll(session);
        }
        self.poll(session);
    }

    /// Returns whether a pose has arrived.
    fn poll(&mut self, session: &mut Session) -> bool {
        let pose = self.receiver.poll(self.start.elapsed().as_secs_f64());
        let has_pose = pose.is_some();
        if let Some(pose) = pose {
            session.handle(Command::SetLivePose(Some(Arc::new(pose))));
        }
        has_pose
    }

    /// Reports messages that cannot be used, and another sender.
    pub(super) fn diagnostics(&self, character: &Path) -> Vec<Diagnostic> {
        let status = self.receiver.status();
        let file = Location::file(file_name(character));
        let mut found = Vec::new();
        if status.unusable_count > 0 {
            let text =
                message!("{n:message|messages} of the sender could not be used", n = status.unusable_count as usize);
            found.push(Diagnostic::warning(file.clone(), text));
        }
        if let Some(other) = status.other_sender {
            let text = message!("{other} sends too; its messages were ignored", other = other.to_string());
            found.push(Diagnostic::warning(file.clone(), text));
        }
        found
    }
}

#[expect(clippy::disallowed_methods, reason = "live motion runs in real time")]
fn now() -> Instant {
    Instant::now()
}
