//! The console of Windows. The executable is a console application, so that commands print to the console in which they
//! were started. Before Windows 11 24H2, Explorer gives such an application a console of its own.
#![expect(unsafe_code, reason = "functions of Windows")]

use windows_sys::Win32::System::Console::{FreeConsole, GetConsoleProcessList};

/// Closes the console if no other process uses it, as it is after a start from Explorer. Returns whether it was closed.
pub fn close_own() -> bool {
    let mut processes = [0; 2];
    // SAFETY: the array has room for the given number of ids.
    let count = unsafe { GetConsoleProcessList(processes.as_mut_ptr(), processes.len() as u32) };
    if count == 1 {
        // SAFETY: the function has no preconditions.
        unsafe { FreeConsole() };
    }
    count == 1
}

/// Shows an error until the artist closes the message box, because there is no console.
pub fn show_error(text: String) {
    rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Yuremono").set_description(text).show();
}
