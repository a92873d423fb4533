//! Floating windows: each shows what would change and changes it with one button.
//!
//! The character goes on moving behind them. A window that opens over another hides it and gives it back when it
//! closes, so that nothing half done is lost. They read the session and answer with one edit or one request.

mod about;
mod close;
mod detect;
mod export;
mod grid;
mod import;
mod lost;
mod mirror;
mod names;
mod picker;
mod preset_words;
mod presets;
mod seen;
mod setup;
mod shortcuts;
mod switch;
mod type_path;

pub mod small;

use crate::doc::BoneTable;
use crate::doc::remap::Rules;
use crate::report::Diagnostic;
use crate::rig::BoneId;
use crate::session::Session;
use crate::ui::kit::tokens::{LAYOUTS, SPACE};
use crate::ui::{Cx, Request, Window};
use detect::Detect;
use egui::{Context, Id, Key, Modifiers, Rect, pos2, vec2};
use export::Export;
use import::Import;
use lost::Lost;
use mirror::Mirror;
use setup::Setup;
use switch::Switch;

/// Which are open, with what they keep.
#[derive(Debug, Default)]
pub struct Windows {
    /// Those that change something, one over the other; only the last is shown.
    pile: Vec<Sheet>,
    /// A text field had the keyboard in the last frame: its Esc is not the window's.
    typing: bool,
}

/// A window that changes something.
#[derive(Debug)]
enum Sheet {
    Import(Box<Import>),
    Lost(Box<Lost>),
    Detect(Box<Detect>),
    Export(Box<Export>),
    Mirror(Box<Mirror>),
    Setup(Box<Setup>),
    Switch(Box<Switch>),
    Compare(Box<presets::Compare>),
    Keep(Box<presets::Keep>),
    Delete(Box<presets::Delete>),
}

/// What a frame of a sheet came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stays {
    Open,
    Closed,
}

impl Windows {
    /// As [`Windows::offer_tables`] for a file with one table.
    pub fn offer_table(&mut self, file_name: &str, table: BoneTable, diagnostics: Vec<Diagnostic>, session: &Session) {
        self.offer_tables(file_name, vec![table], diagnostics, session);
    }

    /// Shows what the tables of a file would change, in a window of its own.
    pub fn offer_tables(
        &mut self,
        file_name: &str,
        tables: Vec<BoneTable>,
        diagnostics: Vec<Diagnostic>,
        session: &Session,
    ) {
        let mut import = Import::new(file_name, tables, diagnostics, session);
        let before = self.pile.iter().find_map(|sheet| match sheet {
            Sheet::Import(before) => Some(before),
            _ => None,
        });
        if let Some(before) = before {
            import.go_on_from(before, session);
        }
        self.put(Sheet::Import(Box::new(import)));
    }

    /// Takes rules that were read from a file into the window that maps names, if it is open.
    pub fn take_rules(&mut self, rules: Rules, session: &Session) {
        let import = self.pile.iter_mut().find_map(|sheet| match sheet {
            Sheet::Import(import) => Some(import),
            _ => None,
        });
        if let Some(import) = import {
            import.take_rules(rules, session);
        }
    }

    /// Shows which bones a newer version of the character lacks, and leads what is authored on them to others.
    /// `lost` as [`Session::lost_bones`] returns it.
    pub fn offer_lost(&mut self, lost: Vec<(BoneId, String)>, session: &Session) {
        if let Some(lost) = Lost::new(lost, session) {
            self.put(Sheet::Lost(Box::new(lost)));
        }
    }

    /// Draws those that are open.
    pub fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.guides.clear();
        for wanted in std::mem::take(&mut cx.state.open) {
            match wanted {
                Window::DetectChains => self.put(Sheet::Detect(Box::new(Detect::new(cx.session())))),
                Window::Export => self.put(Sheet::Export(Box::new(Export::new(cx)))),
                Window::Mirror => self.put(Sheet::Mirror(Box::new(Mirror::new(cx.session())))),
                Window::BodyColliders
                | Window::SelectByName
                | Window::SetParent
                | Window::PasteSpecial
                | Window::Ask(_) => self.put(Sheet::Setup(Box::new(Setup::new(wanted, cx)))),
                Window::ComparePreset => self.put(Sheet::Compare(Box::new(presets::Compare::new(cx)))),
                Window::KeepPreset => self.put(Sheet::Keep(Box::new(presets::Keep::new(cx)))),
                Window::DeletePreset => self.put(Sheet::Delete(Box::new(presets::Delete::new(cx)))),
                Window::Switch(to) => {
                    // What was found for another solver is of no use.
                    cx.request(Request::StopMatching);
                    self.put(Sheet::Switch(Box::new(Switch::new(to, cx))));
                }
                // The small windows have taken theirs.
                Window::Shortcuts | Window::TypePath | Window::About => {}
            }
        }
        self.show_top(ctx, cx);
    }

    /// Lays a window on top, in place of one of its kind.
    fn put(&mut self, sheet: Sheet) {
        let kind = std::mem::discriminant(&sheet);
        self.pile.retain(|s| std::mem::discriminant(s) != kind);
        self.pile.push(sheet);
    }

    fn show_top(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.covered_left = 0.0;
        let was_typing = std::mem::replace(&mut self.typing, ctx.text_edit_focused());
        let Some(sheet) = self.pile.last_mut() else { return };
        let escaped = was_typing && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
        match sheet {
            Sheet::Import(import) if escaped => import.escape(),
            Sheet::Lost(lost) if escaped => lost.escape(),
            Sheet::Mirror(mirror) if escaped => mirror.escape(),
            _ => {}
        }
        let (title, stays) = match sheet {
            Sheet::Import(import) => import.show(ctx, cx),
            Sheet::Lost(lost) => lost.show(ctx, cx),
            Sheet::Detect(detect) => detect.show(ctx, cx),
            Sheet::Export(export) => export.show(ctx, cx),
            Sheet::Mirror(mirror) => mirror.show(ctx, cx),
            Sheet::Setup(setup) => setup.show(ctx, cx),
            Sheet::Switch(switch) => switch.show(ctx, cx),
            Sheet::Compare(compare) => compare.show(ctx, cx),
            Sheet::Keep(keep) => keep.show(ctx, cx),
            Sheet::Delete(delete) => delete.show(ctx, cx),
        };
        cx.state.covered_left = covered(ctx, &title);
        if stays == Stays::Closed {
            self.pile.pop();
            cx.state.covered_left = 0.0;
        }
    }
}

/// The right edge of a window that lies in the left half, else 0.
fn covered(ctx: &Context, title: &str) -> f32 {
    let rect = ctx.memory(|m| m.area_rect(Id::unique(("window", title))));
    rect.filter(|r| r.center().x < ctx.content_rect().center().x).map_or(0.0, |r| r.right())
}

/// Where a window opens: at the left, below the top bar, as wide as a share of the screen within bounds, and no
/// higher than what the top bar and the status line leave.
fn place(ctx: &Context, share: f32, widths: [f32; 2], height: f32) -> Rect {
    let screen = ctx.content_rect();
    let layout = &LAYOUTS[0];
    let top = screen.top() + layout.top + SPACE[6];
    let room = screen.bottom() - layout.status - SPACE[3] - top;
    let width = (share * screen.width()).clamp(widths[0], widths[1]).min(screen.width() - 2.0 * SPACE[5]);
    Rect::from_min_size(pos2(screen.left() + SPACE[6], top), vec2(width.round(), height.min(room).floor()))
}
