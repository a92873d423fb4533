//! *Live motion*: listens for a motion capture program, keeps its motion, and sends poses to another program.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left, sentence_ui};
use crate::tr;
use crate::ui::kit::button::FlatButton;
use crate::ui::kit::icons;
use crate::ui::kit::number::{NumberFormat, NumberInput};
use crate::ui::kit::property_row::{PropertyRow, note_ui, property_rows, property_rows_height};
use crate::ui::kit::toggle::{Choice, labelled_checkbox};
use crate::ui::kit::tokens::space;
use crate::ui::{AppRequest, LiveView, UiContext};
use crate::vmc::{DEFAULT_PORT, LiveStatus, ReceiverOptions, SenderBones};
use egui::{Color32, Context, Rect, Ui};
use std::borrow::Cow;
use yuremono_sim::diagnostics::{MessageText, message};

/// Number of rows of options.
const ROWS: usize = 8;
/// Height of the status and the buttons in the body.
const STATUS_HEIGHT: f32 = 150.0;
const WIDTHS: [f32; 2] = [520.0, 540.0];
const PORT: NumberInput = NumberInput::new(NumberFormat::with_suffix("", 0), [1024.0, 65535.0]);
/// Number of unusable messages from which the status reports them. A lost packet is usual.
const REPORTED_FAULTS: u64 = 10;

#[derive(Debug)]
pub(super) struct LiveMotionDialog {
    options: ReceiverOptions,
    /// The port to send to.
    send_port: u16,
}

impl LiveMotionDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let options = cx.input.live.receiver.map(|(options, _)| *options).unwrap_or_default();
        Self { options, send_port: cx.input.live.sends_to.unwrap_or(DEFAULT_PORT + 1) }
    }

    fn receiver_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let is_on = cx.input.live.receiver.is_some();
        let options = &mut self.options;
        let note = tr!(cx, "as in the sender");
        PropertyRow::new(&tr!(cx, "Port")).note(&note).number(ui, PORT, &mut options.port);
        PropertyRow::new(&tr!(cx, "Senders")).show(ui, |ui| {
            let hint = tr!(
                cx,
                "Every computer in your network can then move this character. Use it only in a network that you trust; your firewall may ask."
            );
            let text = tr!(cx, "Allow other computers");
            labelled_checkbox(ui, &text, &mut options.allows_network).on_hover_text(hint);
        });
        let bones = [
            Choice::new(SenderBones::Automatic, tr!(cx, "Automatic")),
            Choice::new(SenderBones::Normalized, tr!(cx, "Normalized"))
                .hint(tr!(cx, "The sender measures rotations from the T-pose. Fits every character.")),
            Choice::new(SenderBones::SameModel, tr!(cx, "Same model"))
                .hint(tr!(cx, "The sender has loaded the same character and sends the rotations of its nodes.")),
        ];
        PropertyRow::new(&tr!(cx, "Sender's bones")).choice(ui, &bones, &mut options.bones);
        PropertyRow::new(&tr!(cx, "Direction")).show(ui, |ui| {
            let hint = tr!(cx, "For a sender whose character faces the other way");
            let turn = labelled_checkbox(ui, &tr!(cx, "Turn by 180°"), &mut options.turned).on_hover_text(hint);
            if turn.changed() && is_on {
                cx.request(AppRequest::TurnLive(options.turned));
            }
        });
    }

    fn sender_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let mut sends = cx.input.live.sends_to.is_some();
        let before = (sends, self.send_port);
        PropertyRow::new(&tr!(cx, "Send poses")).show(ui, |ui| {
            let hint = tr!(
                cx,
                "Sends the humanoid bones and the swinging bones 60 times per second to an application on this computer."
            );
            labelled_checkbox(ui, &tr!(cx, "To port"), &mut sends).on_hover_text(hint);
            PORT.show(ui, &tr!(cx, "Port of the receiver"), &mut self.send_port);
        });
        if before != (sends, self.send_port) && (sends || before.0) {
            cx.request(AppRequest::SendLive(sends.then_some(self.send_port)));
        }
        if let Some(problem) = cx.input.live.sender_problem {
            note_ui(ui, &cx.tr(problem), cx.theme.color.warning);
        }
    }
}

fn status_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let live = cx.input.live;
    let c = cx.theme.color;
    let (text, color) = match (live.receiver_problem, live.receiver) {
        (Some(problem), _) => (cx.tr(problem), c.warning),
        (None, None) => (tr!(cx, "Off. Nothing listens on the network."), c.text_2),
        (None, Some((options, status))) => status_text(cx, options.port, status),
    };
    PropertyRow::new(&tr!(cx, "State")).wrapped().note(&text).note_color(color).show(ui, |_| {});
    ui.horizontal(|ui| {
        ui.add_space(space::XL);
        if live.receiver.is_some() {
            buttons_ui(ui, cx, live);
        }
    });
}

fn buttons_ui(ui: &mut Ui, cx: &mut UiContext<'_>, live: LiveView<'_>) {
    let stop = tr!(cx, "Stop");
    let button = FlatButton { name: &stop, label: &stop, on: false, icon: Some(icons::X_CIRCLE) };
    if button.show(ui).0.clicked() {
        cx.request(AppRequest::StopLive);
    }
    let seconds = format!("{:.0}", live.recorded_seconds);
    let record = tr!(cx, "Record last {seconds} s…", seconds = &seconds);
    let button = FlatButton { name: &record, label: &record, on: false, icon: Some(icons::RECORD) };
    let hint =
        tr!(cx, "Saves what the sender did in the last minute as a .vrma, and plays it as a motion of the project.");
    if button.show(ui).0.on_hover_text(hint).clicked() && live.recorded_seconds > 0.0 {
        cx.request(AppRequest::RecordLive);
    }
    let calibrate = tr!(cx, "Calibrate height");
    let button = FlatButton { name: &calibrate, label: &calibrate, on: false, icon: Some(icons::RULER) };
    let hint = tr!(cx, "Takes the present height of the hips as that of an upright body. Stand upright first.");
    if button.show(ui).0.on_hover_text(hint).clicked() {
        cx.request(AppRequest::CalibrateLive);
    }
}

/// Returns the state of the receiver, most important fault first.
fn status_text(cx: &UiContext<'_>, port: u16, status: &LiveStatus) -> (Cow<'static, str>, Color32) {
    let c = cx.theme.color;
    let port = port.to_string();
    let Some(sender) = status.sender.map(|sender| sender.ip().to_string()) else {
        return match status.unusable_count {
            0 => (tr!(cx, "Waiting for a sender on port {port}.", port = &port), c.text_2),
            _ => (
                tr!(cx, "What arrives on port {port} is not VMC. Check the port of the sender.", port = &port),
                c.warning,
            ),
        };
    };
    if status.has_no_model {
        return (tr!(cx, "{sender} has loaded no model. The pose is kept.", sender = &sender), c.warning);
    }
    if status.is_silent {
        return (tr!(cx, "{sender} sends no more bones. The pose is kept.", sender = &sender), c.warning);
    }
    if status.is_flooded {
        return (
            tr!(cx, "{sender} sends more than can be used. Some messages are dropped.", sender = &sender),
            c.warning,
        );
    }
    if let Some(other) = status.other_sender.map(|other| other.to_string()) {
        let text = tr!(
            cx,
            "{other} sends too, and is ignored. {sender} moves the character.",
            other = &other,
            sender = &sender
        );
        return (text, c.warning);
    }
    let rate = format!("{:.0}", status.rate);
    if status.unusable_count >= REPORTED_FAULTS {
        let n = status.unusable_count as usize;
        let text = tr!(
            cx,
            "{sender}, {rate} poses per second. {n:message is|messages are} unusable.",
            sender = &sender,
            rate = &rate,
            n
        );
        return (text, c.warning);
    }
    let text = match status.bones {
        SenderBones::SameModel => {
            tr!(cx, "{sender}, {rate} poses per second, bones of the same model.", sender = &sender, rate = &rate)
        }
        _ => tr!(cx, "{sender}, {rate} poses per second, normalized bones.", sender = &sender, rate = &rate),
    };
    (text, c.ok)
}

impl Dialog for LiveMotionDialog {
    fn title_text(&self) -> MessageText {
        message!("Live motion (VMC)")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.36, WIDTHS, property_rows_height(ROWS) + STATUS_HEIGHT)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        property_rows(ui, |ui| {
            self.receiver_ui(ui, cx);
            status_ui(ui, cx);
            ui.add_space(space::L);
            let text = tr!(
                cx,
                "The character moves as in a motion capture application, for example VSeeFace, Warudo or VirtualMotionCapture."
            );
            sentence_ui(ui, cx, &text);
            ui.add_space(space::L);
            self.sender_ui(ui, cx);
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let can_start = cx.input.live.receiver.is_none_or(|(options, _)| *options != self.options);
        vec![DialogButton::apply(tr!(cx, "Start"), can_start), DialogButton::close(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::StartLive(self.options));
        DialogResult::Open
    }
}
