//! Saves pictures and clips of the viewport as the window shows it.
//!
//! egui reads the pixels of the frame after a request, at the end of that frame:
//!
//! 1. The first frame of a capture hides the controls over the viewport. Its end requests a screenshot.
//! 2. The next frame is drawn, for a clip with the next pose, and read. Its end requests the next screenshot.
//! 3. The following frame starts with the pixels of frame 2.
//!
//! A clip is therefore as smooth on a slow computer as on a fast one: each picture advances the session by the same time,
//! however long the picture takes.

use super::App;
use super::background::BackgroundTask;
use super::character_canvas::{CanvasLook, CanvasPicture};
use crate::ui::{CaptureView, ClipOptions, ClipProgress};
use egui::ColorImage;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;
use yuremono_format::animated_image::{
    AnimatedImageError, AnimatedImageFormat, AnimatedImageOptions, AnimatedImageWriter, ColorHistogram, FrameStore,
    GIF_COLORS, encode_png, palette_samples,
};
use yuremono_format::open::file_name;
use yuremono_format::source::{AtomicFile, write_atomic};
use yuremono_session::{Command, Message, Session};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};
use yuremono_sim::rig::Character;

/// Number of frames after which a missing screenshot counts as an error.
const MAX_WAIT_FRAMES: u32 = 120;
/// Maximum number of pictures in memory. A recording waits until the disk has caught up.
const MAX_QUEUED_PICTURES: u32 = 4;

/// The running capture of the viewport.
#[derive(Debug, Default)]
pub(super) struct ViewportCapture {
    job: Option<CaptureJob>,
    /// The recorded clip that a thread encodes.
    encoding: Option<ClipEncoding>,
    /// The viewport of the last frame in pixels: left, top, width and height.
    area: [u32; 4],
    /// Number of the last frame.
    frame: Option<u64>,
    /// Whether the window closes when the clip is written.
    closes_after_encoding: bool,
}

#[derive(Debug)]
struct CaptureJob {
    target: CaptureTarget,
    screenshots: Screenshots,
    /// Whether a frame without controls was drawn.
    is_ready: bool,
}

#[derive(Debug)]
enum CaptureTarget {
    Picture(PathBuf),
    Clip(Box<ClipRecording>),
}

/// Requests for screenshots, and their answers.
#[derive(Debug)]
struct Screenshots {
    sender: Sender<Arc<ColorImage>>,
    receiver: Receiver<Arc<ColorImage>>,
    requested: u32,
    received: u32,
    /// The frame of the last request. egui can draw a frame in several passes.
    requested_in: Option<u64>,
    /// Number of frames since the last request or answer.
    waited: u32,
}

impl Screenshots {
    fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, requested: 0, received: 0, requested_in: None, waited: 0 }
    }

    fn request(&mut self, ctx: &egui::Context) {
        let sender = self.sender.clone();
        ctx.request_screenshot(move |image| {
            // Sending fails if the capture was cancelled.
            let _ = sender.send(image);
        });
        self.requested += 1;
        self.requested_in = Some(ctx.cumulative_frame_nr());
        self.waited = 0;
    }

    fn next_answer(&mut self) -> Option<Arc<ColorImage>> {
        let image = self.receiver.try_recv().ok()?;
        self.received += 1;
        self.waited = 0;
        Some(image)
    }

    fn is_waiting(&self) -> bool {
        self.requested > self.received
    }
}

#[derive(Debug)]
struct ClipRecording {
    encoding: ClipEncoding,
    /// Sends pictures to the thread. The thread encodes the clip when the sender is dropped.
    pictures: Sender<Vec<u8>>,
    /// The recorded pixels of the window: left, top, width and height.
    area: [u32; 4],
    count: u32,
    /// Seconds from one picture to the next.
    interval: f64,
    /// Number of pictures for which the session has advanced.
    advanced: u32,
    character: Weak<Character>,
    was_playing: bool,
    /// Whether the clip shows the overlays of the viewport.
    overlays: bool,
}

/// A thread that stores the pictures of a clip, and then encodes them.
#[derive(Debug)]
struct ClipEncoding {
    path: PathBuf,
    name: String,
    count: u32,
    /// Number of pictures that the thread has stored.
    stored: Arc<AtomicU32>,
    task: BackgroundTask<Result<(), Diagnostic>>,
}

impl ViewportCapture {
    pub(super) fn view(&self) -> CaptureView<'_> {
        let clip = match (&self.job, &self.encoding) {
            (Some(CaptureJob { target: CaptureTarget::Clip(clip), screenshots, .. }), _) => {
                Some(ClipProgress::Recording { captured: screenshots.received, count: clip.count })
            }
            (_, Some(encoding)) => {
                Some(ClipProgress::Writing { name: &encoding.name, share: encoding.task.progress() })
            }
            _ => None,
        };
        let is_bare = |job: &CaptureJob| matches!(&job.target, CaptureTarget::Clip(clip) if !clip.overlays);
        CaptureView { is_active: self.job.is_some(), hides_overlays: self.job.as_ref().is_some_and(is_bare), clip }
    }

    /// Whether a clip is being recorded, so the clip advances the session in place of the clock.
    pub(super) fn is_recording(&self) -> bool {
        self.view().is_recording()
    }

    /// Whether a picture or a clip is being recorded or written.
    #[cfg(target_arch = "wasm32")]
    pub(super) const fn is_working(&self) -> bool {
        self.job.is_some() || self.encoding.is_some()
    }

    pub(super) fn start_picture(&mut self, path: PathBuf) {
        // A recording cannot be interrupted by a picture, because the window takes no input.
        if self.job.is_none() {
            self.job = Some(CaptureJob::new(CaptureTarget::Picture(path)));
        }
    }
}

impl CaptureJob {
    fn new(target: CaptureTarget) -> Self {
        Self { target, screenshots: Screenshots::new(), is_ready: false }
    }
}

impl ClipRecording {
    /// Advances the session to the pose of the picture that this frame shows. Runs once per frame.
    fn advance(&mut self, screenshots: &Screenshots, session: &mut Session) {
        let tick = 1.0 / f64::from(session.playback().settings().player_frame_rate);
        if session.playback().is_settling() {
            return session.advance(tick);
        }
        if screenshots.is_waiting() && self.advanced < screenshots.requested {
            self.advanced = screenshots.requested;
            // The first picture shows the present pose.
            let mut left = if self.advanced == 1 { 0.0 } else { self.interval };
            // A slow character would skip ticks in a longer step.
            while left > 0.0 {
                session.advance(left.min(tick));
                left -= tick;
            }
        }
    }

    fn may_request(&self, screenshots: &Screenshots, session: &Session) -> bool {
        let queued = screenshots.requested.saturating_sub(self.encoding.stored.load(Ordering::Relaxed));
        screenshots.requested < self.count && queued < MAX_QUEUED_PICTURES && !session.playback().is_settling()
    }
}

impl App {
    /// Starts to record a clip of the viewport.
    pub(super) fn start_clip(&mut self, path: PathBuf, options: ClipOptions, ctx: &egui::Context) {
        if self.capture.view().clip.is_some() {
            return;
        }
        let area = self.capture.area;
        let size = [area[2], area[3]];
        let (count, interval) = options.spacing();
        let (file, store) = match open_clip(&path, size) {
            Ok(opened) => opened,
            Err(diagnostic) => return self.report_all(vec![diagnostic]),
        };
        let (pictures, receiver) = channel();
        let stored = Arc::new(AtomicU32::new(0));
        let job = ClipJob {
            path: path.clone(),
            file,
            store,
            format: options.format,
            animation: AnimatedImageOptions {
                size,
                frame_count: count,
                frame_interval: interval,
                play_count: u16::from(!options.repeats),
                transparent: false,
                palette: None,
            },
            pictures: receiver,
            stored: Arc::clone(&stored),
        };
        let task = BackgroundTask::start(ctx, move |on_progress| job.run(on_progress));
        let recording = ClipRecording {
            encoding: ClipEncoding { name: file_name(&path), path, count, stored, task },
            pictures,
            area,
            count,
            interval,
            advanced: 0,
            character: Arc::downgrade(self.session.character()),
            was_playing: self.session.playback().settings().playing,
            overlays: options.overlays,
        };
        self.session.handle(Command::SetPlaying(true));
        self.capture.job = Some(CaptureJob::new(CaptureTarget::Clip(Box::new(recording))));
    }

    /// Ends the recording or the encoding of a clip at the request of the artist.
    pub(super) fn cancel_clip(&mut self) {
        let encoding = match self.take_recording() {
            Some(recording) => Some(recording.encoding),
            // A complete clip is just put in place.
            None => self.capture.encoding.take_if(|encoding| encoding.task.progress() < 1.0),
        };
        if let Some(encoding) = encoding {
            self.capture.closes_after_encoding = false;
            let message = message!("the clip was cancelled; nothing was written");
            self.report_all(vec![Diagnostic::info(Location::file(encoding.name), message)]);
        }
    }

    /// Receives screenshots, and prepares the frame. Runs before the frame is drawn.
    pub(super) fn begin_capture_frame(&mut self, ctx: &egui::Context) {
        let frame = ctx.cumulative_frame_nr();
        if self.capture.frame.replace(frame) == Some(frame) {
            return;
        }
        self.poll_clip_encoding(ctx);
        while let Some(image) = self.capture.job.as_mut().and_then(|job| job.screenshots.next_answer()) {
            self.handle_screenshot(&image);
        }
        self.end_interrupted_recording();
        let Some(job) = &mut self.capture.job else { return };
        job.is_ready = true;
        job.screenshots.waited += 1;
        if let CaptureTarget::Clip(clip) = &mut job.target {
            clip.advance(&job.screenshots, &mut self.session);
        }
        if job.screenshots.waited > MAX_WAIT_FRAMES && job.screenshots.is_waiting() {
            self.fail_capture(message!("the window could not be captured; nothing was written"));
        }
    }

    /// Requests the next screenshot. Runs after the frame was drawn.
    pub(super) fn end_capture_frame(&mut self, ctx: &egui::Context) {
        self.capture.area = self.ui.viewport_pixels(ctx.pixels_per_point());
        let Some(job) = &mut self.capture.job else { return };
        ctx.request_repaint();
        let may_request = match &job.target {
            CaptureTarget::Picture(_) => job.screenshots.requested == 0,
            CaptureTarget::Clip(clip) => clip.may_request(&job.screenshots, &self.session),
        };
        if job.is_ready && may_request && job.screenshots.requested_in != self.capture.frame {
            job.screenshots.request(ctx);
        }
    }

    fn handle_screenshot(&mut self, image: &ColorImage) {
        let area = self.capture.area;
        let Some(job) = &self.capture.job else { return };
        let Some(pixels) = crop(image, area) else {
            return self.fail_capture(message!("the window could not be captured; nothing was written"));
        };
        match &job.target {
            CaptureTarget::Picture(path) => {
                let path = path.clone();
                self.capture.job = None;
                self.save_picture(&path, [area[2], area[3]], &pixels);
            }
            CaptureTarget::Clip(clip) if clip.area != area => {
                self.fail_capture(message!(
                    "the viewport changed its size while the clip was recorded; nothing was written"
                ));
            }
            CaptureTarget::Clip(clip) => {
                // Sending fails if the thread has failed; its result is reported.
                let _ = clip.pictures.send(pixels);
                if job.screenshots.received == clip.count {
                    self.capture.encoding = self.take_recording().map(|recording| recording.encoding);
                }
            }
        }
    }

    /// Saves the character as the viewport shows it, without background and overlays.
    pub(super) fn save_transparent_picture(&mut self, path: &Path, ctx: &egui::Context) {
        let [_, _, width, height] = self.ui.viewport_pixels(ctx.pixels_per_point());
        let Some(view) = self.ui.viewport_mut().last_view().copied() else { return };
        let visible = self.ui.state_mut().mesh_visibility.clone();
        let picture = CanvasPicture::new(view, &visible, &self.session, CanvasLook::of(self.ui.prefs()));
        let failed = match self.character_canvas.transparent_picture([width, height], picture) {
            Some(Ok(pixels)) => return self.save_picture(path, [width, height], &pixels),
            Some(Err(error)) => error.message(),
            None => message!("the character is not drawn on this computer; nothing was written"),
        };
        self.report_all(vec![Diagnostic::error(Location::file(file_name(path)), failed)]);
    }

    fn save_picture(&mut self, path: &Path, size: [u32; 2], pixels: &[u8]) {
        let bytes = encode_png(size, pixels).map_err(|error| clip_error(path, &AnimatedImageError::Write(error)));
        match bytes.and_then(|bytes| write_atomic(path, &bytes)) {
            Ok(()) => self.add_message(Message::Done(message!("{name} saved", name = file_name(path)))),
            Err(diagnostic) => self.report_all(vec![diagnostic]),
        }
    }

    /// Ends a recording that cannot continue: its thread failed, another character is open, or a question waits.
    fn end_interrupted_recording(&mut self) {
        let Some(CaptureJob { target: CaptureTarget::Clip(clip), .. }) = &self.capture.job else { return };
        if let Some(result) = clip.encoding.task.poll() {
            let recording = self.take_recording();
            if let Some(recording) = recording {
                self.finish_clip(&recording.encoding, result.ok());
            }
        } else if clip.character.as_ptr() != Arc::as_ptr(self.session.character()) {
            self.fail_capture(message!("the character changed while the clip was recorded; nothing was written"));
        } else if self.question().is_some() {
            self.cancel_clip();
        }
    }

    fn fail_capture(&mut self, message: MessageText) {
        let name = match self.capture.job.as_ref().map(|job| &job.target) {
            Some(CaptureTarget::Picture(path)) => file_name(path),
            Some(CaptureTarget::Clip(clip)) => clip.encoding.name.clone(),
            None => return,
        };
        self.take_recording();
        self.capture.job = None;
        self.report_all(vec![Diagnostic::error(Location::file(name), message)]);
    }

    /// Ends the recording, and lets playback continue as before.
    fn take_recording(&mut self) -> Option<ClipRecording> {
        let job = self.capture.job.take_if(|job| matches!(job.target, CaptureTarget::Clip(_)))?;
        let CaptureTarget::Clip(recording) = job.target else { return None };
        self.session.handle(Command::SetPlaying(recording.was_playing));
        self.clock.restart();
        Some(*recording)
    }

    fn poll_clip_encoding(&mut self, ctx: &egui::Context) {
        let Some(encoding) = &self.capture.encoding else { return };
        match encoding.task.poll() {
            // Shows the progress.
            None => ctx.request_repaint_after(Duration::from_millis(100)),
            Some(result) => {
                let encoding = self.capture.encoding.take();
                if let Some(encoding) = encoding {
                    self.finish_clip(&encoding, result.ok());
                }
                if std::mem::take(&mut self.capture.closes_after_encoding) {
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }

    /// Reports the result of the thread. `None` means that the thread ended without a result.
    fn finish_clip(&mut self, encoding: &ClipEncoding, result: Option<Result<(), Diagnostic>>) {
        let done =
            || message!("{name} saved, {n:frame|frames}", name = encoding.name.clone(), n = encoding.count as usize);
        let failed = || message!("the clip stopped because of an internal error; nothing was written");
        match result {
            Some(Ok(())) => self.add_message(Message::Done(done())),
            Some(Err(diagnostic)) => self.report_all(vec![diagnostic]),
            None => self.report_all(vec![Diagnostic::error(location(&encoding.path), failed())]),
        }
    }

    /// Ends all work of a clip before the process ends, so that no temporary file stays.
    pub(super) fn abort_clip(&mut self) {
        let recorded = self.take_recording().map(|recording| recording.encoding);
        for encoding in [recorded, self.capture.encoding.take()].into_iter().flatten() {
            encoding.task.cancel_and_wait();
        }
    }

    /// Returns whether the window must wait with closing until a clip is written.
    pub(super) fn postpone_close(&mut self) -> bool {
        self.capture.closes_after_encoding = self.capture.encoding.is_some();
        self.capture.closes_after_encoding
    }
}

/// Returns the pixels of an area as RGBA bytes. Returns `None` if the image does not contain the area.
fn crop(image: &ColorImage, [left, top, width, height]: [u32; 4]) -> Option<Vec<u8>> {
    let [left, top, width, height] = [left, top, width, height].map(|n| n as usize);
    if width == 0 || height == 0 || left + width > image.width() || top + height > image.height() {
        return None;
    }
    let rows = image.pixels.chunks_exact(image.width()).skip(top).take(height);
    // The window is opaque. Its alpha is whatever the blending left.
    let pixels = rows.flat_map(|row| &row[left..left + width]).flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b(), 255]);
    Some(pixels.collect())
}

fn location(path: &Path) -> Location {
    Location::file(path.display().to_string())
}

fn clip_error(path: &Path, error: &AnimatedImageError) -> Diagnostic {
    Diagnostic::error(location(path), error.message())
}

/// Creates the file of a clip, and the temporary file for its pictures in the same folder. A folder without write access
/// is therefore reported before the recording starts.
fn open_clip(path: &Path, size: [u32; 2]) -> Result<(AtomicFile, FrameStore), Diagnostic> {
    let file = AtomicFile::create(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let store = FrameStore::create_in(folder, size);
    Ok((file, store.map_err(|error| clip_error(path, &AnimatedImageError::Write(error)))?))
}

/// The work of the thread of a clip.
struct ClipJob {
    path: PathBuf,
    file: AtomicFile,
    store: FrameStore,
    format: AnimatedImageFormat,
    animation: AnimatedImageOptions,
    pictures: Receiver<Vec<u8>>,
    stored: Arc<AtomicU32>,
}

impl ClipJob {
    fn run(mut self, on_progress: &dyn Fn(f32) -> bool) -> Result<(), Diagnostic> {
        let path = std::mem::take(&mut self.path);
        match self.store_and_encode(on_progress) {
            Ok(Some(file)) => file.commit(),
            // The recording was cancelled. Nobody reads the result.
            Ok(None) => Ok(()),
            Err(error) => Err(clip_error(&path, &error)),
        }
    }

    /// Returns the complete file. Returns `None` if the clip was cancelled.
    fn store_and_encode(mut self, on_progress: &dyn Fn(f32) -> bool) -> Result<Option<AtomicFile>, AnimatedImageError> {
        let count = self.animation.frame_count;
        for picture in &self.pictures {
            self.store.push(&picture).map_err(AnimatedImageError::Write)?;
            self.stored.store(self.store.len(), Ordering::Relaxed);
        }
        if self.store.len() < count {
            return Ok(None);
        }
        let mut read = |frame| self.store.read(frame).map_err(AnimatedImageError::Write);
        if self.format == AnimatedImageFormat::Gif {
            let mut histogram = ColorHistogram::new(self.format);
            for frame in palette_samples(count) {
                histogram.add(&read(frame)?);
                if !on_progress(0.0) {
                    return Ok(None);
                }
            }
            self.animation.palette = Some(histogram.palette(usize::from(GIF_COLORS)));
        }
        let mut writer = AnimatedImageWriter::new(self.format, BufWriter::new(&mut self.file), self.animation)?;
        for frame in 0..count {
            writer.add_frame(&read(frame)?)?;
            if !on_progress((frame + 1) as f32 / count as f32) {
                return Ok(None);
            }
        }
        writer.finish()?;
        Ok(Some(self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialogs::FileRequest;
    use super::super::tests::{run_until_loaded, send_request, window};
    use super::*;
    use crate::ui::{AppRequest, DialogKind, FilePurpose};
    use egui::{Color32, Shape, ViewportCommand};
    use egui_kittest::Harness;
    use yuremono_sim::diagnostics::Severity;

    const GIF: ClipOptions =
        ClipOptions { format: AnimatedImageFormat::Gif, seconds: 0.5, rate: 10.0, repeats: true, overlays: true };

    /// Draws a frame, and answers the screenshot requests of the frame before, as the window does. The picture has one
    /// colour. Returns whether the frame was captured.
    fn draw(window: &mut Harness<'static, App>, color: Color32) -> bool {
        let outputs = window.output().viewport_output.values();
        let mut requests = Vec::new();
        for command in outputs.flat_map(|output| &output.commands) {
            if let ViewportCommand::Screenshot(request) = command {
                requests.push(request.clone());
            }
        }
        assert!(requests.len() <= 1, "one request per frame");
        window.step();
        let size = window.ctx.content_rect().size();
        let image = Arc::new(ColorImage::filled([size.x as usize, size.y as usize], color));
        let is_captured = !requests.is_empty();
        for request in requests {
            request.complete(Arc::clone(&image));
        }
        is_captured
    }

    fn choose(window: &mut Harness<'static, App>, purpose: FilePurpose, path: &Path) {
        let ctx = window.ctx.clone();
        let document = window.state().document_id;
        let request = FileRequest { purpose, suggested_path: path.to_path_buf(), document };
        window.state_mut().accept_path(request, path.to_path_buf(), None, &ctx);
    }

    /// Draws frames until the capture has ended. Returns the tick of the session in each captured frame.
    fn finish(window: &mut Harness<'static, App>) -> Vec<u64> {
        let mut ticks = Vec::new();
        for n in 0..400_u32 {
            let color = Color32::from_rgb((n * 40 % 256) as u8, 90, 200);
            if draw(window, color) {
                ticks.push(window.state().session.playback().ticks());
            }
            let view = window.state().capture.view();
            if !view.is_active && view.clip.is_none() {
                return ticks;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the capture does not end");
    }

    fn files_in(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn last_error(window: &Harness<'static, App>) -> Option<String> {
        let mut messages = window.state().session.messages().entries().iter();
        let error = messages.rfind(|entry| entry.diagnostic.severity == Severity::Error);
        error.map(|entry| entry.diagnostic.to_string())
    }

    fn shows_text(window: &Harness<'static, App>, text: &str) -> bool {
        fn contains(shape: &Shape, text: &str) -> bool {
            match shape {
                Shape::Text(shown) => shown.galley.text().contains(text),
                Shape::Vec(shapes) => shapes.iter().any(|shape| contains(shape, text)),
                _ => false,
            }
        }
        window.output().shapes.iter().any(|clipped| contains(&clipped.shape, text))
    }

    #[test]
    fn a_picture_has_the_pixels_of_the_viewport_without_dialogs_and_controls() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = window(None);
        window.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Shortcuts);
        window.run_steps(3);
        let floating = ["Keyboard and mouse", "Record gesture"];
        assert!(floating.iter().all(|text| shows_text(&window, text)));
        choose(&mut window, FilePurpose::SavePicture, &folder.path().join("girl.v2"));
        while !draw(&mut window, Color32::from_rgb(10, 20, 30)) {}
        assert!(!floating.iter().any(|text| shows_text(&window, text)));
        assert!(shows_text(&window, "File"), "panels stay");
        finish(&mut window);
        assert!(floating.iter().all(|text| shows_text(&window, text)));
        assert_eq!(files_in(folder.path()), ["girl.v2.png"]);
        let picture = image::open(folder.path().join("girl.v2.png")).expect("a PNG").into_rgba8();
        let [_, _, width, height] = window.state().ui.viewport_pixels(1.0);
        assert_eq!(picture.dimensions(), (width, height));
        assert!(picture.pixels().all(|pixel| pixel.0 == [10, 20, 30, 255]));
    }

    #[test]
    fn a_clip_advances_equally_for_each_picture_and_playback_continues_as_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("clip.gif");
        let mut window = window(None);
        window.state_mut().session.handle(Command::SetPlaying(false));
        choose(&mut window, FilePurpose::SaveClip(GIF), &path);
        assert!(window.state().capture.is_recording());
        let ticks = finish(&mut window);
        assert!(ticks.len() == 5 && ticks.windows(2).all(|pair| pair[1] - pair[0] == 6), "{ticks:?}");
        assert!(!window.state().session.playback().settings().playing);
        assert_eq!(last_error(&window), None);
        assert_eq!(files_in(folder.path()), ["clip.gif"]);
        let file = std::fs::File::open(&path).expect("written");
        let mut decoder = gif::DecodeOptions::new().read_info(file).expect("a GIF");
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            delays.push(frame.delay);
        }
        assert_eq!((delays, decoder.repeat()), (vec![10; 5], gif::Repeat::Infinite));
    }

    #[test]
    fn an_animated_png_can_play_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("clip.png");
        let mut window = window(None);
        let options = ClipOptions { format: AnimatedImageFormat::Apng, repeats: false, ..GIF };
        choose(&mut window, FilePurpose::SaveClip(options), &path);
        finish(&mut window);
        let file = std::io::BufReader::new(std::fs::File::open(&path).expect("written"));
        let reader = png::Decoder::new(file).read_info().expect("a PNG");
        let animation = reader.info().animation_control().expect("animated");
        assert_eq!((animation.num_frames, animation.num_plays), (5, 1));
    }

    #[test]
    fn a_cancelled_clip_leaves_the_old_file_and_no_other_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("clip.gif");
        std::fs::write(&path, "old").expect("written");
        let mut window = window(None);
        let ctx = window.ctx.clone();
        for frames in [0, 4] {
            window.state_mut().use_chosen_path(FilePurpose::SaveClip(GIF), path.clone(), &ctx);
            for _ in 0..frames {
                draw(&mut window, Color32::RED);
            }
            window.key_press(egui::Key::Escape);
            draw(&mut window, Color32::RED);
            assert!(window.state().capture.view().clip.is_none());
            assert!(window.state().session.playback().settings().playing);
        }
        // The thread ends after the recording.
        for _ in 0..200 {
            if files_in(folder.path()).len() == 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(files_in(folder.path()), ["clip.gif"]);
        assert_eq!(std::fs::read(&path).expect("there"), b"old");
    }

    #[test]
    fn a_clip_that_cannot_be_written_is_reported_before_the_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = window(None);
        let path = folder.path().join("missing/clip.gif");
        choose(&mut window, FilePurpose::SaveClip(GIF), &path);
        assert!(window.state().capture.view().clip.is_none());
        let error = last_error(&window).expect("an error");
        assert!(error.starts_with(&format!("{}: cannot be written:", path.display())), "{error}");
        choose(&mut window, FilePurpose::SavePicture, &path.with_extension("png"));
        finish(&mut window);
        let error = last_error(&window).expect("an error");
        assert!(error.contains("clip.png: cannot be written:"), "{error}");
    }

    #[test]
    fn another_size_or_another_character_ends_a_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("clip.gif");
        let mut window = window(None);
        choose(&mut window, FilePurpose::SaveClip(GIF), &path);
        while !draw(&mut window, Color32::RED) {}
        window.set_size(egui::vec2(1300.0, 800.0));
        finish(&mut window);
        assert!(last_error(&window).is_some_and(|error| error.starts_with("clip.gif: the viewport changed its size")));
        run_until_loaded(&mut window);
        choose(&mut window, FilePurpose::SaveClip(GIF), &path);
        while !draw(&mut window, Color32::RED) {}
        send_request(&mut window, AppRequest::OpenSample);
        assert!(window.state().capture.view().clip.is_none());
        assert!(last_error(&window).is_some_and(|error| error.starts_with("clip.gif: the character changed")));
        assert!(!path.exists());
    }

    #[test]
    fn a_failed_thread_ends_the_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = window(None);
        choose(&mut window, FilePurpose::SaveClip(GIF), &folder.path().join("clip.gif"));
        if let Some(CaptureJob { target: CaptureTarget::Clip(clip), .. }) = &window.state().capture.job {
            // A picture of another size cannot be stored.
            clip.pictures.send(vec![0; 4]).expect("the thread runs");
        }
        finish(&mut window);
        let error = last_error(&window).expect("an error");
        assert!(error.contains("clip.gif: cannot be written:"), "{error}");
        assert!(files_in(folder.path()).is_empty());
    }
}
