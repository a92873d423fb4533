#![expect(unsafe_code, reason = "EGL is loaded at run time and GL functions are looked up by name")]

use super::RenderError;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::{device::Device, display::Display};
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, Version};
use glutin::display::GlDisplay as _;
use std::fmt;
use std::sync::Arc;
use three_d::context::{Context as Glow, HasContext as _};

/// A GL context on the current thread, without a window or display.
pub struct HeadlessContext {
    /// The context is current on the thread that created it.
    pub gl: Arc<Glow>,
    /// Renderer name and version of the driver.
    pub driver: String,
    context: PossiblyCurrentContext,
    _display: Display,
}

impl HeadlessContext {
    /// Creates an OpenGL 3.3 context if supported, otherwise an OpenGL ES 3.0 context, on the first EGL device that
    /// works.
    pub fn new() -> Result<Self, RenderError> {
        Self::with_apis(&[ContextApi::OpenGl(Some(Version::new(3, 3))), ContextApi::Gles(Some(Version::new(3, 0)))])
    }

    /// Creates an OpenGL ES 3.0 context.
    pub fn new_es() -> Result<Self, RenderError> {
        Self::with_apis(&[ContextApi::Gles(Some(Version::new(3, 0)))])
    }

    fn with_apis(apis: &[ContextApi]) -> Result<Self, RenderError> {
        let devices: Vec<Device> = Device::query_devices().map_err(|e| RenderError::NoDevice(e.to_string()))?.collect();
        let mut reasons = Vec::new();
        for device in &devices {
            for api in apis {
                match Self::create_on_device(device, *api) {
                    Ok(headless) => return Ok(headless),
                    Err(reason) => reasons.push(format!("{}: {reason}", device.name().unwrap_or("unnamed device"))),
                }
            }
        }
        reasons.dedup();
        let reasons = if reasons.is_empty() { "no device is listed".to_owned() } else { reasons.join("; ") };
        Err(RenderError::NoDevice(reasons))
    }

    fn create_on_device(device: &Device, api: ContextApi) -> Result<Self, glutin::error::Error> {
        let template = ConfigTemplateBuilder::default()
            .with_surface_type(ConfigSurfaceTypes::empty())
            .with_api(config_api(api))
            .build();
        let attributes = ContextAttributesBuilder::new().with_context_api(api).build(None);
        // SAFETY: no raw display is passed, and the context has no window.
        let (display, context) = unsafe {
            let display = Display::with_device(device, None)?;
            let config = display.find_configs(template)?.next();
            let config = config.ok_or(glutin::error::ErrorKind::BadConfig)?;
            let context = display.create_context(&config, &attributes)?.make_current_surfaceless()?;
            (display, context)
        };
        // SAFETY: the context is current, and the loader belongs to the same display.
        let gl = unsafe { Glow::from_loader_function_cstr(|name| display.get_proc_address(name)) };
        // SAFETY: the calls query two strings that every context has.
        let driver = unsafe {
            let [renderer, version] =
                [three_d::context::RENDERER, three_d::context::VERSION].map(|s| gl.get_parameter_string(s));
            format!("{renderer}, {version}")
        };
        Ok(Self { gl: Arc::new(gl), driver, context, _display: display })
    }

    /// Makes this context current again on the calling thread.
    pub fn make_current(&self) -> Result<(), RenderError> {
        self.context.make_current_surfaceless().map_err(|e| RenderError::Context(e.to_string()))
    }
}

fn config_api(api: ContextApi) -> glutin::config::Api {
    match api {
        ContextApi::Gles(_) => glutin::config::Api::GLES3,
        ContextApi::OpenGl(_) => glutin::config::Api::OPENGL,
    }
}

impl fmt::Debug for HeadlessContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Headless").field("driver", &self.driver).finish_non_exhaustive()
    }
}
