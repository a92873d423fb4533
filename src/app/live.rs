//! Live motion by the VMC protocol: the receiver, the sender, and the last minute as a motion.

use super::App;
use super::requests::file_stem;
use crate::ui::{FilePurpose, LiveView};
use crate::vmc::{LiveReceiver, LiveSender, ReceiverOptions};
use std::path::Path;
use std::sync::Arc;
use yuremono_format::baked_motion::{BakedBones, write_vrma};
use yuremono_format::open::file_name;
use yuremono_format::source::write_atomic;
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};
use yuremono_sim::rig::{MotionError, PoseTrack};

/// Largest difference that removed keys of a recorded motion may cause.
const KEY_ERROR: MotionError = MotionError { metres: 1e-4, degrees: 0.1 };

/// The receiver and the sender.
#[derive(Debug, Default)]
pub(super) struct LiveMotion {
    receiver: Option<LiveReceiver>,
    receiver_problem: Option<MessageText>,
    sender: Option<LiveSender>,
    sender_problem: Option<MessageText>,
    /// The motion for which a file is asked.
    recorded: Option<PoseTrack>,
}

impl LiveMotion {
    pub(super) fn view(&self) -> LiveView<'_> {
        LiveView {
            receiver: self.receiver.as_ref().map(|receiver| (receiver.options(), receiver.status())),
            recorded_seconds: self.receiver.as_ref().map_or(0.0, |receiver| receiver.recording().seconds()),
            receiver_problem: self.receiver_problem.as_ref(),
            sends_to: self.sender.as_ref().and_then(LiveSender::target).map(|target| target.port()),
            sender_problem: self.sender_problem.as_ref(),
        }
    }

    /// Whether poses are received or sent, so the window draws every frame.
    pub(super) const fn is_on(&self) -> bool {
        self.receiver.is_some() || self.sender.is_some()
    }

    pub(super) fn turn(&mut self, turned: bool) {
        if let Some(receiver) = &mut self.receiver {
            receiver.set_turned(turned);
        }
    }

    pub(super) fn calibrate(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            receiver.calibrate();
        }
    }

    /// Continues with another character, or another version of it. Returns false if live motion ends, because the character
    /// has no body.
    pub(super) fn set_character(&mut self, session: &Session) -> bool {
        self.recorded = None;
        if let Some(sender) = &mut self.sender {
            sender.set_character(session.character());
        }
        let Some(receiver) = &mut self.receiver else { return true };
        match receiver.set_character(session.character()) {
            Ok(()) => true,
            Err(problem) => {
                (self.receiver, self.receiver_problem) = (None, Some(problem));
                false
            }
        }
    }

    pub(super) const fn is_receiving(&self) -> bool {
        self.receiver.is_some()
    }

    /// Starts to send poses to a port, or stops.
    fn send_to(&mut self, port: Option<u16>, session: &Session) {
        (self.sender, self.sender_problem) = (None, None);
        let Some(port) = port else { return };
        if self.receiver.as_ref().is_some_and(|receiver| receiver.options().port == port) {
            self.sender_problem =
                Some(message!("Yuremono listens on port {port} itself; choose the port of another program", port));
            return;
        }
        match LiveSender::start(port, session.character()) {
            Ok(sender) => self.sender = Some(sender),
            Err(err) => self.sender_problem = Some(message!("poses cannot be sent: {error}", error = err.to_string())),
        }
    }

    /// Sends the pose of the last step. `now` is the time in seconds.
    pub(super) fn send(&mut self, now: f64, session: &Session) {
        if let Some(sender) = &mut self.sender {
            sender.send(now, session);
        }
    }
}

impl App {
    /// Listens, and plays the live motion.
    pub(super) fn start_live(&mut self, options: ReceiverOptions) {
        // A receiver on the same port must close first.
        self.live.receiver = None;
        match LiveReceiver::start(options, self.session.character()) {
            Ok(receiver) => {
                (self.live.receiver, self.live.receiver_problem) = (Some(receiver), None);
                self.session.handle(Command::SetLivePose(None));
                self.session.handle(Command::SetMotion(Motion::Live));
                self.session.handle(Command::SetPlaying(true));
            }
            Err(problem) => {
                self.stop_live();
                self.live.receiver_problem = Some(problem);
            }
        }
    }

    pub(super) fn stop_live(&mut self) {
        (self.live.receiver, self.live.receiver_problem) = (None, None);
        if self.session.playback().settings().motion == Motion::Live {
            self.session.handle(Command::SetMotion(Motion::Still));
        }
    }

    /// Continues live motion with another character, or another version of it.
    pub(super) fn continue_live(&mut self) {
        if !self.live.set_character(&self.session) && self.session.playback().settings().motion == Motion::Live {
            self.session.handle(Command::SetMotion(Motion::Still));
        }
    }

    /// Passes what has arrived to the session. `now` is the time in seconds.
    pub(super) fn receive_live(&mut self, now: f64) {
        if let Some(pose) = self.live.receiver.as_mut().and_then(|receiver| receiver.poll(now)) {
            self.session.handle(Command::SetLivePose(Some(Arc::new(pose))));
        }
    }

    /// Starts to send poses to a port, or stops.
    pub(super) fn send_live_to(&mut self, port: Option<u16>) {
        self.live.send_to(port, &self.session);
    }

    /// Asks for the file of the live motion of the last minute.
    pub(super) fn record_live(&mut self, ctx: &egui::Context) {
        let Some(receiver) = &self.live.receiver else { return };
        self.live.recorded = Some(receiver.recording().track(self.session.character()));
        let name = format!("{}_live.vrma", file_stem(&self.files.character_name));
        self.ask_for_file(FilePurpose::SaveLiveMotion, &name, ctx);
    }

    /// Writes the recorded motion as a VRM animation, and loads the file as a motion of the project.
    pub(super) fn save_live_motion(&mut self, path: &Path) {
        let Some(track) = self.live.recorded.clone() else { return };
        let (name, character) = (file_name(path), self.session.character());
        let motion = path.file_stem().unwrap_or_default().to_string_lossy();
        let bones = BakedBones::new(character, Vec::new(), track.moved_bones(&character.skeleton));
        let written = write_vrma(&name, &bones, &track, &motion, Some(KEY_ERROR))
            .and_then(|written| write_atomic(path, &written.bytes).map_err(|diagnostic| vec![diagnostic]));
        match written {
            Ok(()) => {
                self.live.recorded = None;
                let text =
                    message!("the live motion of the last {seconds} s is in this file", seconds = seconds_of(&track));
                self.report_all(vec![Diagnostic::info(Location::file(name), text)]);
                self.load_motion(path);
            }
            Err(diagnostics) => self.report_all(diagnostics),
        }
    }
}

fn seconds_of(track: &PoseTrack) -> String {
    format!("{:.1}", track.times().last().copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run_until_loaded, send_request, window};
    use super::*;
    use crate::ui::AppRequest;
    use egui_kittest::Harness;
    use glam::{Quat, Vec3};
    use std::net::UdpSocket;
    use yuremono_test_support::vmd::VmdBuilder;

    /// Sends a turn of the head in degrees to the receiver, and draws two frames.
    fn send_head(window: &mut Harness<'static, App>, socket: &UdpSocket, degrees: f32) {
        let receiver = window.state().live.receiver.as_ref().expect("a receiver");
        let port = receiver.local_address().expect("an address").port();
        let [x, y, z, w] = Quat::from_rotation_y(degrees.to_radians()).to_array();
        let numbers = [0.0, 0.0, 0.0, x, y, z, w].map(rosc::OscType::Float);
        let name = rosc::OscType::String("Head".to_owned());
        let args = std::iter::once(name).chain(numbers).collect();
        let message = rosc::OscMessage { addr: "/VMC/Ext/Bone/Pos".to_owned(), args };
        let datagram = rosc::encoder::encode(&rosc::OscPacket::Message(message)).expect("a packet");
        socket.send_to(&datagram, ("127.0.0.1", port)).expect("sent");
        window.run_steps(2);
    }

    fn start(window: &mut Harness<'static, App>) {
        send_request(window, AppRequest::StartLive(ReceiverOptions { port: 0, ..ReceiverOptions::default() }));
        assert_eq!(window.state().session.playback().settings().motion, Motion::Live);
    }

    #[test]
    fn live_motion_moves_the_character_and_its_recording_becomes_a_motion() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("me.vrma");
        let mut window = window(None);
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        start(&mut window);
        for degrees in 0..40_u8 {
            send_head(&mut window, &socket, f32::from(degrees));
        }
        let clips = window.state().session.character().clips.len();
        send_request(&mut window, AppRequest::RecordLive);
        let ctx = window.ctx.clone();
        window.state_mut().use_chosen_path(FilePurpose::SaveLiveMotion, path.clone(), &ctx);
        run_until_loaded(&mut window);
        let session = &window.state().session;
        assert!(path.exists() && session.character().clips.len() == clips + 1);
        assert_eq!(session.playback().settings().motion, Motion::Clip(clips));
        assert_eq!(session.character().clips[clips].name, "me");
        assert!(session.character().clips[clips].duration > 0.1);

        send_request(&mut window, AppRequest::StopLive);
        assert!(!window.state().live.is_on());
    }

    #[test]
    fn live_motion_continues_with_another_character_and_ends_without_a_body() {
        let folder = tempfile::tempdir().expect("a folder");
        let tail = folder.path().join("tail.glb");
        std::fs::write(&tail, yuremono_test_support::glb::GlbBuilder::default().glb()).expect("written");
        let mut window = window(None);
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        start(&mut window);
        send_request(&mut window, AppRequest::SendLive(Some(39_999)));
        send_head(&mut window, &socket, 10.0);
        send_request(&mut window, AppRequest::OpenSample);
        assert_eq!(window.state().session.playback().settings().motion, Motion::Live);
        send_head(&mut window, &socket, 20.0);
        send_request(&mut window, AppRequest::OpenPath(tail));
        assert!(window.state().live.receiver.is_none() && window.state().live.receiver_problem.is_some());
        assert_ne!(window.state().session.playback().settings().motion, Motion::Live);
        window.run_steps(3);
    }

    #[test]
    fn a_port_in_use_is_explained_and_the_motion_stays() {
        let mut window = window(None);
        let used = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let port = used.local_addr().expect("an address").port();
        let motion = window.state().session.playback().settings().motion;
        send_request(&mut window, AppRequest::StartLive(ReceiverOptions { port, ..ReceiverOptions::default() }));
        let problem = window.state().live.receiver_problem.as_ref().expect("a problem").to_string();
        assert!(problem.contains("in use by another program"), "{problem}");
        assert_eq!(window.state().session.playback().settings().motion, motion);
    }

    #[test]
    fn next_motion_plays_the_dances_of_the_folder_and_skips_files_that_cannot_be_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let dance = VmdBuilder::default().key("頭", 600, Vec3::ZERO, Quat::from_rotation_y(0.5));
        let camera = VmdBuilder::default().face_and_camera_keys(0, 1);
        for (name, bytes) in [("a.vmd", dance.bytes()), ("b_camera.vmd", camera.bytes()), ("c.vmd", dance.bytes())] {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        let mut window = window(None);
        send_request(&mut window, AppRequest::LoadMotion(folder.path().join("a.vmd")));
        let mut names = Vec::new();
        for _ in 0..5 {
            let session = &window.state().session;
            let motion = session.playback().settings().motion;
            names.push(motion.clip().map_or("still".to_owned(), |clip| session.character().clips[clip].name.clone()));
            window.key_press(egui::Key::N);
            run_until_loaded(&mut window);
        }
        assert_eq!(names, ["a", "a", "c", "still", "still"], "the camera cannot be loaded; idle follows still");
    }
}
