use super::ViewError;
use super::backdrop::{Backdrop, color};
use super::surface::{COLOR_ONLY, compile, mat4, set};
use crate::stage::Shot;
use three_d::{Blend, Context, Cull, DepthTest, Program, RenderStates, VertexBuffer, Viewport};

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

/// Blended over what is there, hidden by the character, hiding nothing.
pub(super) fn flat_on_ground() -> RenderStates {
    RenderStates {
        write_mask: COLOR_ONLY,
        depth_test: DepthTest::LessOrEqual,
        blend: Blend::STANDARD_TRANSPARENCY,
        cull: Cull::None,
    }
}
