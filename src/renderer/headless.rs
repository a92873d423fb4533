//! OpenGL contexts without a visible window: on EGL devices, or on Windows with WGL and a hidden window, because WGL
//! loads its functions through a window.
#![expect(unsafe_code, reason = "GL is loaded at run time and GL functions are looked up by name")]

use super::RenderError;
#[cfg(not(windows))]
use glutin::api::egl::{
    config::Config, context::NotCurrentContext, context::PossiblyCurrentContext, device::Device, display::Display,
};
#[cfg(windows)]
use glutin::api::wgl::{
    config::Config, context::NotCurrentContext, context::PossiblyCurrentContext, display::Display, surface::Surface,
};
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, Version};
use glutin::display::GlDisplay as _;
#[cfg(windows)]
use glutin::prelude::{NotCurrentGlContext as _, PossiblyCurrentGlContext as _};
#[cfg(windows)]
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};
use raw_window_handle::RawWindowHandle;
#[cfg(windows)]
use raw_window_handle::{RawDisplayHandle, Win32WindowHandle, WindowsDisplayHandle};
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
    surface: HeadlessSurface,
    _display: Display,
    _device: Arc<HeadlessDevice>,
}

impl HeadlessContext {
    /// Creates an OpenGL 3.3 context if supported, otherwise an OpenGL ES 3.0 context, on the first device that works.
    pub fn new() -> Result<Self, RenderError> {
        Self::with_apis(&[ContextApi::OpenGl(Some(Version::new(3, 3))), ContextApi::Gles(Some(Version::new(3, 0)))])
    }

    /// Creates an OpenGL ES 3.0 context.
    pub fn new_es() -> Result<Self, RenderError> {
        Self::with_apis(&[ContextApi::Gles(Some(Version::new(3, 0)))])
    }

    fn with_apis(apis: &[ContextApi]) -> Result<Self, RenderError> {
        let devices = HeadlessDevice::all().map_err(|error| RenderError::NoDevice(error.to_string()))?;
        let mut reasons = Vec::new();
        for device in devices {
            let device = Arc::new(device);
            for api in apis {
                match Self::create_on_device(&device, *api) {
                    Ok(headless) => return Ok(headless),
                    Err(reason) => reasons.push(format!("{}: {reason}", device.name())),
                }
            }
        }
        reasons.dedup();
        let reasons = if reasons.is_empty() { "no device is listed".to_owned() } else { reasons.join("; ") };
        Err(RenderError::NoDevice(reasons))
    }

    fn create_on_device(device: &Arc<HeadlessDevice>, api: ContextApi) -> Result<Self, glutin::error::Error> {
        let mut template =
            ConfigTemplateBuilder::default().with_surface_type(ConfigSurfaceTypes::empty()).with_api(config_api(api));
        if let Some(window) = device.window() {
            template = template.with_surface_type(ConfigSurfaceTypes::WINDOW).compatible_with_native_window(window);
        }
        let template = template.build();
        let attributes = ContextAttributesBuilder::new().with_context_api(api).build(device.window());
        let display = device.display()?;
        // SAFETY: the window, if there is one, exists as long as the context.
        let (config, context) = unsafe {
            let config = display.find_configs(template)?.next();
            let config = config.ok_or(glutin::error::ErrorKind::BadConfig)?;
            let context = display.create_context(&config, &attributes)?;
            (config, context)
        };
        let surface = HeadlessSurface::new(device, &display, &config)?;
        let context = surface.bind(context)?;
        // SAFETY: the context is current, and the loader belongs to the same display.
        let gl = unsafe { Glow::from_loader_function_cstr(|name| display.get_proc_address(name)) };
        // SAFETY: the calls query two strings that every context has.
        let driver = unsafe {
            let [renderer, version] =
                [three_d::context::RENDERER, three_d::context::VERSION].map(|s| gl.get_parameter_string(s));
            format!("{renderer}, {version}")
        };
        Ok(Self { gl: Arc::new(gl), driver, context, surface, _display: display, _device: Arc::clone(device) })
    }

    /// Makes this context current again on the calling thread.
    pub fn make_current(&self) -> Result<(), RenderError> {
        self.surface.make_current(&self.context).map_err(|e| RenderError::Context(e.to_string()))
    }
}

fn config_api(api: ContextApi) -> glutin::config::Api {
    match api {
        ContextApi::Gles(_) => glutin::config::Api::GLES3,
        ContextApi::OpenGl(_) => glutin::config::Api::OPENGL,
    }
}

/// What a context draws to by default: nothing.
#[cfg(not(windows))]
struct HeadlessSurface;

#[cfg(not(windows))]
impl HeadlessSurface {
    #[expect(clippy::unnecessary_wraps, reason = "the surface of a window can fail")]
    const fn new(_device: &HeadlessDevice, _display: &Display, _config: &Config) -> Result<Self, glutin::error::Error> {
        Ok(Self)
    }

    #[expect(clippy::unused_self, reason = "WGL needs a surface")]
    fn bind(&self, context: NotCurrentContext) -> Result<PossiblyCurrentContext, glutin::error::Error> {
        context.make_current_surfaceless()
    }

    #[expect(clippy::unused_self, reason = "WGL needs a surface")]
    fn make_current(&self, context: &PossiblyCurrentContext) -> Result<(), glutin::error::Error> {
        context.make_current_surfaceless()
    }
}

/// What a context draws to by default: the hidden window.
#[cfg(windows)]
struct HeadlessSurface(Surface<WindowSurface>);

#[cfg(windows)]
impl HeadlessSurface {
    fn new(device: &HeadlessDevice, display: &Display, config: &Config) -> Result<Self, glutin::error::Error> {
        let window = device.window().ok_or(glutin::error::ErrorKind::BadNativeWindow)?;
        let size = std::num::NonZeroU32::MIN;
        let attributes = SurfaceAttributesBuilder::<WindowSurface>::new().build(window, size, size);
        // SAFETY: the window exists as long as the surface.
        unsafe { display.create_window_surface(config, &attributes) }.map(Self)
    }

    fn bind(&self, context: NotCurrentContext) -> Result<PossiblyCurrentContext, glutin::error::Error> {
        context.make_current(&self.0)
    }

    fn make_current(&self, context: &PossiblyCurrentContext) -> Result<(), glutin::error::Error> {
        context.make_current(&self.0)
    }
}

/// An EGL device.
#[cfg(not(windows))]
struct HeadlessDevice(Device);

#[cfg(not(windows))]
impl HeadlessDevice {
    fn all() -> Result<Vec<Self>, glutin::error::Error> {
        Ok(Device::query_devices()?.map(Self).collect())
    }

    fn display(&self) -> Result<Display, glutin::error::Error> {
        // SAFETY: no raw display is passed.
        unsafe { Display::with_device(&self.0, None) }
    }

    #[expect(clippy::unused_self, reason = "WGL needs a window")]
    fn window(&self) -> Option<RawWindowHandle> {
        None
    }

    fn name(&self) -> &str {
        self.0.name().unwrap_or("unnamed device")
    }
}

/// The default driver of Windows, with the window that WGL needs.
#[cfg(windows)]
struct HeadlessDevice(HiddenWindow);

#[cfg(windows)]
impl HeadlessDevice {
    fn all() -> Result<Vec<Self>, glutin::error::Error> {
        Ok(vec![Self(HiddenWindow::new()?)])
    }

    fn display(&self) -> Result<Display, glutin::error::Error> {
        let display = RawDisplayHandle::Windows(WindowsDisplayHandle::new());
        // SAFETY: the window exists as long as this device.
        unsafe { Display::new(display, self.window()) }
    }

    fn window(&self) -> Option<RawWindowHandle> {
        let mut handle = Win32WindowHandle::new(self.0.0);
        // SAFETY: without a name, the function returns the handle of this program.
        let program = unsafe { windows_sys::Win32::System::LibraryLoader::GetModuleHandleW(std::ptr::null()) };
        handle.hinstance = std::num::NonZeroIsize::new(program as isize);
        Some(RawWindowHandle::Win32(handle))
    }

    #[expect(clippy::unused_self, reason = "EGL has several devices")]
    fn name(&self) -> &'static str {
        "WGL"
    }
}

/// A window that is never shown.
#[cfg(windows)]
struct HiddenWindow(std::num::NonZeroIsize);

#[cfg(windows)]
impl HiddenWindow {
    fn new() -> Result<Self, glutin::error::Error> {
        use std::ptr::{null, null_mut};
        use windows_sys::Win32::UI::WindowsAndMessaging::{CreateWindowExW, WS_POPUP};
        // SAFETY: "STATIC" is a class of the system, and all other pointers may be null.
        let window = unsafe {
            let class = windows_sys::w!("STATIC");
            CreateWindowExW(0, class, null(), WS_POPUP, 0, 0, 1, 1, null_mut(), null_mut(), null_mut(), null())
        };
        std::num::NonZeroIsize::new(window as isize).map(Self).ok_or(glutin::error::ErrorKind::BadNativeWindow.into())
    }
}

#[cfg(windows)]
impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: the window belongs to this thread and still exists.
        unsafe { windows_sys::Win32::UI::WindowsAndMessaging::DestroyWindow(self.0.get() as _) };
    }
}

impl fmt::Debug for HeadlessContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Headless").field("driver", &self.driver).finish_non_exhaustive()
    }
}
