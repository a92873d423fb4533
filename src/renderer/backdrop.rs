use super::{FullScreenPass, RenderError, compile_program, gl_color, gl_mat4, ground_render_states, set_uniform};
use crate::stage::CameraView;
use three_d::{Context, Program, VertexBuffer, Viewport};

/// The colours around the character, as sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// Colour at the upper edge of the image.
    pub top: [u8; 3],
    /// Colour at the lower edge of the image.
    pub bottom: [u8; 3],
    /// Colour of the ground grid, or `None` to hide the grid.
    pub grid: Option<[u8; 3]>,
    /// Colour of the grid line along X.
    pub axis_x: [u8; 3],
    /// Colour of the grid line along Z.
    pub axis_z: [u8; 3],
    /// Maximum alpha of the ground shadow, 0..=1.
    pub shadow: f32,
    /// Width of grid lines, in pixels.
    pub line_width: f32,
}

impl Backdrop {
    /// Colours for the dark theme.
    pub const DARK: Self = Self {
        top: [0x31, 0x34, 0x3a],
        bottom: [0x1b, 0x1d, 0x20],
        grid: Some([0x47, 0x4b, 0x53]),
        axis_x: [0xa6, 0x5a, 0x5a],
        axis_z: [0x5a, 0x78, 0xb0],
        shadow: 0.5,
        line_width: 1.0,
    };
    /// Colours for the light theme.
    pub const LIGHT: Self = Self {
        top: [0xe4, 0xe7, 0xec],
        bottom: [0xc3, 0xc8, 0xd0],
        grid: Some([0xa7, 0xad, 0xb8]),
        axis_x: [0xc0, 0x5a, 0x5a],
        axis_z: [0x4e, 0x6f, 0xb5],
        shadow: 0.3,
        line_width: 1.0,
    };
    /// One dark colour, without a grid.
    pub const FLAT_DARK: Self = Self { top: [0x22, 0x24, 0x28], bottom: [0x22, 0x24, 0x28], grid: None, ..Self::DARK };
    /// One light colour, without a grid.
    pub const FLAT_LIGHT: Self =
        Self { top: [0xf2, 0xf3, 0xf5], bottom: [0xf2, 0xf3, 0xf5], grid: None, ..Self::LIGHT };
}

impl Default for Backdrop {
    fn default() -> Self {
        Self::DARK
    }
}

/// A vertical gradient over the whole image.
pub(super) struct BackdropGradient {
    pass: FullScreenPass,
}

impl BackdropGradient {
    pub(super) fn new(context: &Context) -> Result<Self, RenderError> {
        Ok(Self { pass: FullScreenPass::new(context, include_str!("shaders/backdrop.frag"))? })
    }

    pub(super) fn draw(&self, viewport: Viewport, backdrop: &Backdrop) {
        set_uniform(&self.pass.program, "top", gl_color(backdrop.top));
        set_uniform(&self.pass.program, "bottom", gl_color(backdrop.bottom));
        self.pass.draw(viewport);
    }
}

/// Number of grid lines on each side of the centre.
const GRID_HALF_CELLS: i32 = 16;

pub(super) struct GroundGrid {
    program: Program,
    ends: VertexBuffer<[f32; 4]>,
    corners: VertexBuffer<[f32; 2]>,
    line_kinds: VertexBuffer<f32>,
    vertices: u32,
}

impl GroundGrid {
    pub(super) fn new(context: &Context) -> Result<Self, RenderError> {
        let (vertex, fragment) = (include_str!("shaders/grid.vert"), include_str!("shaders/grid.frag"));
        let (mut ends, mut corners, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        let reach = GRID_HALF_CELLS as f32;
        // The axes are drawn last, on top of the other lines.
        for step in (-GRID_HALF_CELLS..=GRID_HALF_CELLS).filter(|s| *s != 0).chain([0]) {
            let at = step as f32;
            // Lines end at the edge of the disc, just before they fade out.
            let reach = (reach * reach - at * at).max(0.0).sqrt() * 0.97;
            let kind = if step % 5 == 0 { 1.0_f32 } else { 0.0 };
            for (line, axis) in [([-reach, at, reach, at], 2.0), ([at, -reach, at, reach], 3.0)] {
                for corner in [[0.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, -1.0], [1.0, 1.0], [0.0, 1.0]] {
                    ends.push(line);
                    corners.push(corner);
                    kinds.push(if step == 0 { axis } else { kind });
                }
            }
        }
        Ok(Self {
            program: compile_program(context, vertex, fragment)?,
            vertices: ends.len() as u32,
            ends: VertexBuffer::new_with_data(context, &ends),
            corners: VertexBuffer::new_with_data(context, &corners),
            line_kinds: VertexBuffer::new_with_data(context, &kinds),
        })
    }

    /// Draws the grid. `height` and `cell` are in metres.
    pub(super) fn draw(&self, shot: &CameraView, viewport: Viewport, backdrop: &Backdrop, height: f32, cell: f32) {
        let Some(lines) = backdrop.grid else { return };
        let p = &self.program;
        set_uniform(p, "clipFromWorld", gl_mat4(shot.view_projection()));
        set_uniform(p, "pixels", three_d::vec2(viewport.width as f32, viewport.height as f32));
        set_uniform(p, "lineWidth", backdrop.line_width.clamp(0.5, 8.0));
        set_uniform(p, "ground", three_d::vec4(0.0, 0.0, height, cell));
        set_uniform(p, "lineColor", gl_color(lines));
        set_uniform(p, "axisX", gl_color(backdrop.axis_x));
        set_uniform(p, "axisZ", gl_color(backdrop.axis_z));
        set_uniform(p, "reach", three_d::vec2(GRID_HALF_CELLS as f32 * 0.2, GRID_HALF_CELLS as f32));
        // The grid fades when the camera looks horizontally, because its lines would overlap.
        let steepness = ((shot.eye.y - height) / shot.distance.max(1e-3)).abs();
        let apart = cell / shot.metres_per_pixel(shot.eye + shot.forward) * steepness.clamp(0.05, 1.0);
        set_uniform(p, "spacing", three_d::vec2(apart, (steepness * 30.0).clamp(0.15, 1.0)));
        p.use_vertex_attribute("ends", &self.ends);
        p.use_vertex_attribute("corner", &self.corners);
        p.use_vertex_attribute("kind", &self.line_kinds);
        p.draw_arrays(ground_render_states(), viewport, self.vertices);
    }
}
