use super::ViewError;
use super::surface::{compile, set};
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

/// Bytes to 0..=1, still encoded.
pub(super) fn color(bytes: [u8; 3]) -> three_d::Vec3 {
    let [r, g, b] = bytes.map(|c| f32::from(c) / 255.0);
    three_d::vec3(r, g, b)
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
