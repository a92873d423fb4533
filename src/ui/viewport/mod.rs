//! The character in the middle of the window, what is drawn over it, and the hands that grab it.
//!
//! `camera` turns and glides; `figure` has the joints and rings; `hands` says what the pointer means;
//! `overlay`, `links`, `solids`, `fans`, `breeze`, `grips` and `knobs` paint the shapes that [`crate::stage::overlay`]
//! computes; `scene` gathers them and their handles, `pull` moves a handle; `tools`, `transport` and `hints` float at the edges. Nothing here draws the character itself: that shape comes in with
//! [`crate::ui::Input::scene`].

mod breeze;
mod camera;
mod fans;
mod figure;
mod grips;
mod hands;
mod hints;
mod ink;
mod knobs;
mod links;
mod motions;
mod overlay;
mod pull;
mod scene;
mod solids;
mod tools;
mod transport;

pub(super) use breeze::force_inside;
pub(super) use grips::removal;
pub use hands::Target;
pub(super) use solids::worst;

use crate::rig::{Character, WorldPose};
use crate::session::Command;
use crate::stage::{Occlusion, OrbitCamera, Shot};
use crate::ui::Cx;
use crate::ui::kit::theme::{Role as Colour, Text};
use camera::Eye;
use egui::{Align2, Rect, Response, Role, Sense, Ui, WidgetInfo};
use hands::{Hands, Held};
use ink::Ink;
pub(crate) use motions::name_of as motion_name;
use overlay::Overlay;
use scene::{Handle, Hold, Scene};
use solids::Solids;
use std::sync::{Arc, Weak};

/// Seconds between two looks at what the character hides.
const LOOK_EVERY: f64 = 0.15;
/// Characters with more triangles are not looked at: all bones count as seen.
const MOST_TRIANGLES: usize = 120_000;

/// The inputs that the occlusion raster was last computed from.
#[derive(Debug)]
struct OcclusionInputs {
    /// Weak, so that the session can still change its character in place.
    character: Weak<Character>,
    pose: WorldPose,
    visible: Vec<bool>,
    shot: Shot,
}

impl OcclusionInputs {
    fn is_same(&self, character: &Arc<Character>, pose: &WorldPose, visible: &[bool], shot: &Shot) -> bool {
        self.character.as_ptr() == Arc::as_ptr(character)
            && self.shot == *shot
            && self.visible == visible
            && self.pose == *pose
    }
}

/// What it keeps.
#[derive(Debug, Default)]
pub struct Viewport {
    eye: Eye,
    hands: Hands,
    occlusion: Occlusion,
    occlusion_inputs: Option<OcclusionInputs>,
    looked: f64,
    shot: Option<Shot>,
}

impl Viewport {
    /// Where the camera is.
    pub fn camera(&self) -> OrbitCamera {
        self.eye.now()
    }

    /// What was seen last, in points from the viewport's corner.
    pub fn shot(&self) -> Option<&Shot> {
        self.shot.as_ref()
    }

    /// What a project keeps: the camera.
    pub fn state(&self) -> serde_json::Value {
        self.eye.state()
    }

    /// Looks again from where a project says; nonsense changes nothing.
    pub fn restore(&mut self, state: &serde_json::Value) {
        self.eye.restore(state);
    }

    /// Draws it into all that is left.
    ///
    /// Returns the place that takes clicks, and what is under the pointer.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) -> (Response, Target) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.interact(rect, ui.scope_id().with("viewport"), Sense::CLICK | Sense::DRAG);
        let name = cx.tr("viewport.name");
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &*name));
        camera::keys(ui, cx);
        self.eye.update(ui, rect, cx);
        let shot = self.eye.shot(rect);
        let scene = Scene::of(cx, &shot, self.hands.tool);
        self.hands.update(ui, &response, (rect, &shot), &scene, cx);
        self.eye.hands(ui, &response, rect, self.hands.held == Some(Held::Space));
        let shot = self.eye.shot(rect);
        self.shot = Some(shot);
        if cx.session().playback().world().viewer() != Some(shot.eye) {
            cx.command(Command::LookFrom(shot.eye));
        }
        self.look(ui, &shot, cx);
        let marks = self.paint(ui, rect, &shot, &scene, cx);

        let toggles = tools::toggles_ui(ui, rect, cx);
        tools::tools_ui(ui, rect, &mut self.hands.tool, cx);
        transport::keep(cx);
        let transport = transport::show(ui, rect, cx);
        tools::axes_ui(ui, rect, transport, &shot, cx);
        tools::legend_ui(ui, rect, toggles, &marks, cx);
        if !cx.state.overlays_hidden {
            fans::face_ui(ui, rect, &shot, &scene.fans, cx);
        }
        let places = hints::Places { rect, toggles, transport };
        hints::show(ui, &places, &shot, &scene.figure, &self.hands, cx);
        overlay::record_frame(ui.painter(), rect, cx);
        hints::show_preview(ui, rect, toggles, cx);
        let hints = self.hands.hints(cx);
        if response.contains_pointer() || self.hands.held.is_some() || cx.state.hint.is_empty() {
            cx.state.hint = hints;
        }
        let target = self.hands.target(cx);
        (response, target)
    }

    /// Finds out now and then what lies behind the character's surface.
    fn look(&mut self, ui: &Ui, shot: &Shot, cx: &Cx<'_>) {
        let now = ui.input(|i| i.time);
        let character = cx.session().character();
        let primitives = character.meshes.iter().flat_map(|m| &m.primitives);
        let triangles: usize = primitives.map(|p| p.indices.len() / 3).sum();
        if now - self.looked >= LOOK_EVERY && triangles <= MOST_TRIANGLES && cx.state.prefs.toggles.bones {
            self.looked = now;
            let (pose, visible) = (cx.session().playback().shown(), &cx.state.meshes);
            if self.occlusion_inputs.as_ref().is_some_and(|last| last.is_same(character, pose, visible, shot)) {
                return;
            }
            self.occlusion.update(character, pose, visible, shot);
            self.occlusion_inputs = Some(OcclusionInputs {
                character: Arc::downgrade(character),
                pose: pose.clone(),
                visible: visible.clone(),
                shot: *shot,
            });
        }
    }

    /// Draws the character and what lies over her. Returns the meanings of colours that were drawn, for the legend.
    fn paint(&self, ui: &Ui, rect: Rect, shot: &Shot, scene: &Scene, cx: &Cx<'_>) -> Vec<Colour> {
        let figure = &scene.figure;
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let c = cx.theme.color;
        if let Some(shape) = (cx.input.scene)(rect, *shot, &cx.state.meshes) {
            painter.add(shape);
        } else {
            painter.rect_filled(rect, 0.0, c.view_bottom);
            let at = rect.center_top() + egui::vec2(0.0, rect.height() * 0.12);
            painter.text(at, Align2::CENTER_CENTER, cx.tr("viewport.no_picture"), Text::Body.font(), c.text_2);
        }
        let ink = Ink { painter: &painter, theme: cx.theme, rect };
        if cx.state.overlays_hidden {
            return Vec::new();
        }
        ink::ghosts(&ink, shot, &cx.session().playback().ghost_lines(cx.session().document()));
        if cx.state.prefs.toggles.lengths {
            links::show_lengths(&ink, shot, figure, cx);
        }
        links::show(&ink, shot, figure, &self.occlusion, cx);
        let touches = Solids { ink: &ink, shot, figure, all: &scene.solids }.show(cx);
        let swings = fans::swings(cx, shot, figure);
        fans::show_swings(&ink, &swings);
        let held = matches!(self.hands.held, Some(Held::Handle(Hold::Fan(_))));
        let (mut grip, mut end, mut knob) = (None, None, None);
        match self.hands.handle() {
            Some(Handle::Grip(kind)) => grip = Some(kind),
            Some(Handle::Fan(fan_end)) => end = Some(fan_end),
            Some(Handle::Knob(hot)) => knob = Some(hot),
            None => {}
        }
        let degrees = fans::show(&ink, &scene.fans, end, held);
        let bones = Overlay { ink: &ink, shot, figure, hands: &self.hands, occlusion: &self.occlusion };
        bones.show(cx);
        links::show_physics(&ink, &scene.arrows, cx);
        breeze::show(&ink, shot, &scene.breezes, cx);
        grips::show_axes(&ink, shot, cx.session());
        scene.grips.show(&ink, grip);
        scene.knobs.show(&ink, knob);
        for words in degrees {
            words.write(&ink);
        }
        if let Some(Held::Handle(hold)) = &self.hands.held {
            hold.show(&ink, cx.session());
        }
        ink::paint(&ink, shot, &cx.state.guides);
        overlay::tag_ui(ui, &ink, &self.hands, cx);
        let mut marks: Vec<Colour> = scene.arrows.iter().map(|arrow| arrow.role).collect();
        marks.extend(touches.then_some(Colour::Collision));
        marks.extend((!scene.fans.is_empty() || !swings.is_empty()).then_some(Colour::Limit));
        marks
    }
}
