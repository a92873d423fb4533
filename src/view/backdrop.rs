use super::{ViewError, color, compile, flat_on_ground, mat4, set};
use crate::stage::Shot;
use three_d::{Blend, Context, Cull, DepthTest, Program, RenderStates, VertexBuffer, Viewport, WriteMask};

/// What surrounds the character; colours are sRGB bytes, as a theme names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// Upper edge of the picture.
    pub top: [u8; 3],
    /// Lower edge.
    pub bottom: [u8; 3],
    /// Lines of the ground grid; `None` for no grid.
    pub grid: Option<[u8; 3]>,
    /// The line along X.
    pub axis_x: [u8; 3],
    /// The line along Z.
    pub axis_z: [u8; 3],
    /// Darkest alpha of the shadow on the ground, 0..=1.
    pub shadow: f32,
    /// Width of grid lines, pixels.
    pub line_width: f32,
}

impl Backdrop {
    /// A quiet dark studio.
    pub const DARK: Self = Self {
        top: [0x31, 0x34, 0x3a],
        bottom: [0x1b, 0x1d, 0x20],
        grid: Some([0x47, 0x4b, 0x53]),
        axis_x: [0xa6, 0x5a, 0x5a],
        axis_z: [0x5a, 0x78, 0xb0],
        shadow: 0.5,
        line_width: 1.0,
    };
    /// A bright one.
    pub const LIGHT: Self = Self {
        top: [0xe4, 0xe7, 0xec],
        bottom: [0xc3, 0xc8, 0xd0],
        grid: Some([0xa7, 0xad, 0xb8]),
        axis_x: [0xc0, 0x5a, 0x5a],
        axis_z: [0x4e, 0x6f, 0xb5],
        shadow: 0.3,
        line_width: 1.0,
    };
}

impl Default for Backdrop {
    fn default() -> Self {
        Self::DARK
    }
}

/// Fills the picture from top to bottom.
pub(super) struct Gradient {
    program: Program,
    corners: VertexBuffer<[f32; 2]>,
}

impl Gradient {
    pub(super) fn new(context: &Context) -> Result<Self, ViewError> {
        let (vertex, fragment) = (include_str!("shaders/backdrop.vert"), include_str!("shaders/backdrop.frag"));
        let corners = VertexBuffer::new_with_data(context, &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]);
        Ok(Self { program: compile(context, vertex, fragment)?, corners })
    }

    pub(super) fn draw(&self, viewport: Viewport, backdrop: &Backdrop) {
        set(&self.program, "top", color(backdrop.top));
        set(&self.program, "bottom", color(backdrop.bottom));
        self.program.use_vertex_attribute("corner", &self.corners);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::Always,
            blend: Blend::Disabled,
            cull: Cull::None,
        };
        self.program.draw_arrays(states, viewport, 3);
    }
}

/// Lines to each side of the middle.
const CELLS: i32 = 16;

/// The lines on the ground.
pub(super) struct Grid {
    program: Program,
    ends: VertexBuffer<[f32; 4]>,
    corners: VertexBuffer<[f32; 2]>,
    kinds: VertexBuffer<f32>,
    vertices: u32,
}

impl Grid {
    pub(super) fn new(context: &Context) -> Result<Self, ViewError> {
        let (vertex, fragment) = (include_str!("shaders/grid.vert"), include_str!("shaders/grid.frag"));
        let (mut ends, mut corners, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        let reach = CELLS as f32;
        // The axes come last, so that they lie over the other lines.
        for step in (-CELLS..=CELLS).filter(|s| *s != 0).chain([0]) {
            let at = step as f32;
            // Only as long as the round patch that fades at its rim, less what would be all but faded.
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
            program: compile(context, vertex, fragment)?,
            vertices: ends.len() as u32,
            ends: VertexBuffer::new_with_data(context, &ends),
            corners: VertexBuffer::new_with_data(context, &corners),
            kinds: VertexBuffer::new_with_data(context, &kinds),
        })
    }

    /// `height` and `cell` in metres.
    pub(super) fn draw(&self, shot: &Shot, viewport: Viewport, backdrop: &Backdrop, height: f32, cell: f32) {
        let Some(lines) = backdrop.grid else { return };
        let p = &self.program;
        set(p, "clipFromWorld", mat4(shot.view_projection()));
        set(p, "pixels", three_d::vec2(viewport.width as f32, viewport.height as f32));
        set(p, "lineWidth", backdrop.line_width.clamp(0.5, 8.0));
        set(p, "ground", three_d::vec4(0.0, 0.0, height, cell));
        set(p, "lineColor", color(lines));
        set(p, "axisX", color(backdrop.axis_x));
        set(p, "axisZ", color(backdrop.axis_z));
        set(p, "reach", three_d::vec2(CELLS as f32 * 0.2, CELLS as f32));
        // A level view sees lines on top of one another, and the ground from its edge.
        let steepness = ((shot.eye.y - height) / shot.distance.max(1e-3)).abs();
        let apart = cell / shot.metres_per_pixel(shot.eye + shot.forward) * steepness.clamp(0.05, 1.0);
        set(p, "spacing", three_d::vec2(apart, (steepness * 30.0).clamp(0.15, 1.0)));
        p.use_vertex_attribute("ends", &self.ends);
        p.use_vertex_attribute("corner", &self.corners);
        p.use_vertex_attribute("kind", &self.kinds);
        p.draw_arrays(flat_on_ground(), viewport, self.vertices);
    }
}
