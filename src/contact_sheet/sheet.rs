//! The image of a contact sheet, which is filled with one small image after the other.

use super::layout::{SheetLayout, SheetRect};
use super::text::{TextPainter, TextStyle, blend};
use super::{SheetColors, SheetOptions, SheetPicture, SheetRow, seconds_text};
use crate::renderer::{DrawInput, OffscreenTarget, RenderError, SceneRenderer, downsample, supersampled_size};
use crate::ui::kit::fonts;
use egui::FontFamily;
use glam::Vec3;
use image::{ImageError, ImageFormat, Rgba, RgbaImage};
use std::fmt;
use std::io::Cursor;
use yuremono_sim::diagnostics::MessageText;

/// A contact sheet whose motions are simulated. Its images are drawn one at a time.
pub struct ContactSheet {
    rows: Vec<SheetRow>,
    layout: SheetLayout,
    colors: SheetColors,
    smooth: f32,
    visible: Vec<bool>,
    ground_height: f32,
    /// Direction towards the key light.
    light: Vec3,
    warnings: Vec<MessageText>,
    image: RgbaImage,
    /// Number of images that are drawn.
    drawn: usize,
}

/// What is around the character in all images.
#[derive(Clone, Copy, Debug)]
pub(super) struct SheetScene {
    /// Height of the ground, in metres.
    pub(super) ground_height: f32,
    /// Direction towards the key light.
    pub(super) light: Vec3,
}

impl ContactSheet {
    pub(super) fn new(
        rows: Vec<SheetRow>,
        layout: SheetLayout,
        options: &SheetOptions,
        SheetScene { ground_height, light }: SheetScene,
        warnings: Vec<MessageText>,
    ) -> Self {
        let colors = options.colors;
        let [width, height] = layout.size();
        let page = colors.page.map_or(Rgba([0; 4]), |[r, g, b]| Rgba([r, g, b, 255]));
        let mut image = RgbaImage::from_pixel(width, height, page);
        draw_texts(&mut image, &rows, &layout, options);
        let (smooth, visible) = (options.smooth, options.visible.clone());
        Self { rows, layout, colors, smooth, visible, ground_height, light, warnings, image, drawn: 0 }
    }

    /// Width and height in pixels of the off-screen target for [`Self::draw_next`].
    pub fn target_size(&self) -> [u32; 2] {
        let SheetRect { width, height, .. } = self.layout.picture_rect(0, 0);
        supersampled_size([width, height], self.smooth)
    }

    /// Number of images.
    pub fn picture_count(&self) -> usize {
        self.rows.iter().map(|row| row.pictures.len()).sum()
    }

    /// Number of images that are drawn.
    pub fn drawn_count(&self) -> usize {
        self.drawn
    }

    /// Chains that left their bounds during the simulation.
    pub fn warnings(&self) -> &[MessageText] {
        &self.warnings
    }

    /// Draws the next image. `scene` has the character of the sheet, and its context is current. Returns false if all
    /// images were drawn already.
    pub fn draw_next(&mut self, scene: &mut SceneRenderer, target: &OffscreenTarget) -> Result<bool, RenderError> {
        let Some((row, column)) = self.next_picture() else { return Ok(false) };
        let SheetPicture { seconds, pose, view } = &self.rows[row].pictures[column];
        let input = DrawInput {
            camera: view,
            pose,
            extra_bodies: &[],
            visible: &self.visible,
            morph_weights: &[],
            backdrop: &self.colors.backdrop,
            ground_height: self.ground_height,
            light: self.light,
            seconds: *seconds,
        };
        let large = match self.colors.page {
            Some(_) => target.render(scene, &input)?,
            None => target.render_transparent(scene, &input)?,
        };
        let SheetRect { width, height, .. } = self.layout.picture_rect(row, column);
        self.insert(row, column, &downsample(&large, [width, height]));
        self.drawn += 1;
        Ok(true)
    }

    /// Row and column of the next image.
    fn next_picture(&self) -> Option<(usize, usize)> {
        let mut before = 0;
        self.rows.iter().enumerate().find_map(|(row, content)| {
            let column = self.drawn - before;
            before += content.pictures.len();
            (self.drawn < before).then_some((row, column))
        })
    }

    /// Copies an image into the sheet. The corners of the strip are rounded.
    fn insert(&mut self, row: usize, column: usize, picture: &RgbaImage) {
        let place = self.layout.picture_rect(row, column);
        let strip = self.layout.strip_rect(row, self.rows[row].pictures.len());
        let radius = self.layout.corner_radius();
        for (x, y, pixel) in picture.enumerate_pixels() {
            let (x, y) = (place.x + x, place.y + y);
            let Some(target) = self.image.get_pixel_mut_checked(x, y) else { continue };
            let Rgba([r, g, b, _]) = *pixel;
            *target = match self.colors.page {
                Some(_) => blend(*target, [r, g, b], strip.coverage(x, y, radius)),
                None => *pixel,
            };
        }
    }

    /// Returns the sheet as a PNG. Images that were not drawn are empty.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Cursor::new(Vec::new());
        self.image.write_to(&mut bytes, ImageFormat::Png)?;
        Ok(bytes.into_inner())
    }
}

impl fmt::Debug for ContactSheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, drawn) = (self.image.dimensions(), self.drawn);
        f.debug_struct("ContactSheet").field("size", &size).field("drawn", &drawn).finish_non_exhaustive()
    }
}

/// Draws the title, the name and note of each motion, and the time of each image.
fn draw_texts(image: &mut RgbaImage, rows: &[SheetRow], layout: &SheetLayout, options: &SheetOptions) {
    let SheetColors { text, faint_text, .. } = options.colors;
    let style = |size, family, color| TextStyle { size, family, color };
    let title = style(layout.title_size(), fonts::semibold(), text);
    let name = style(layout.text_size(), fonts::medium(), text);
    let small = style(layout.small_text_size(), FontFamily::Proportional, faint_text);
    let mut painter = TextPainter::new();
    painter.line(&options.title, &title, layout.width()).draw(image, layout.margin(), layout.title_baseline());
    for (row, content) in rows.iter().enumerate() {
        let (strip, baseline) = (layout.strip_rect(row, options.moments as usize), layout.name_baseline(row));
        let note = painter.line(&content.note, &small, strip.width);
        note.draw(image, strip.x + strip.width - note.width.min(strip.width), baseline);
        let room = strip.width.saturating_sub(note.width + layout.text_size());
        painter.line(&content.name, &name, room).draw(image, strip.x, baseline);
        if content.pictures.len() == 1 {
            continue;
        }
        for (column, picture) in content.pictures.iter().enumerate() {
            let place = layout.picture_rect(row, column);
            let time = painter.line(&seconds_text(picture.seconds), &small, u32::MAX);
            // Small images have no room for a time.
            if time.width <= place.width {
                time.draw(image, place.x + (place.width - time.width) / 2, layout.times_baseline(row));
            }
        }
    }
}
