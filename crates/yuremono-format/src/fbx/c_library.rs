//! The functions of the C library that ufbx needs. A browser has no C library.

#![expect(unsafe_code, reason = "C calls these functions")]

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::slice::from_raw_parts;

/// Returns the layout of a block of memory, with the largest alignment of a C type.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), 16).ok()
}

#[unsafe(no_mangle)]
extern "C" fn ufbx_malloc(size: usize) -> *mut c_void {
    // SAFETY: the size is not zero.
    layout(size).map_or(null_mut(), |layout| unsafe { alloc(layout) }.cast())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_realloc(block: *mut c_void, old_size: usize, new_size: usize) -> *mut c_void {
    match (layout(old_size), layout(new_size)) {
        _ if block.is_null() => ufbx_malloc(new_size),
        // SAFETY: ufbx passes a block of these functions with its size.
        (Some(old), Some(new)) => unsafe { realloc(block.cast(), old, new.size()) }.cast(),
        _ => null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_free(block: *mut c_void, old_size: usize) {
    if let Some(layout) = layout(old_size).filter(|_| !block.is_null()) {
        // SAFETY: ufbx passes a block of these functions with its size.
        unsafe { dealloc(block.cast(), layout) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.cast(), count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { to.cast::<u8>().copy_from(from.cast(), count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memset(to: *mut c_void, value: c_int, count: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { to.cast::<u8>().write_bytes(value as u8, count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memchr(bytes: *const c_void, value: c_int, count: usize) -> *const c_void {
    // SAFETY: as in C.
    let slice = unsafe { from_raw_parts(bytes.cast::<u8>(), count) };
    slice.iter().find(|byte| **byte == value as u8).map_or(std::ptr::null(), |byte| std::ptr::from_ref(byte).cast())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcmp(a: *const c_void, b: *const c_void, count: usize) -> c_int {
    // SAFETY: as in C.
    let [a, b] = [a, b].map(|bytes| unsafe { from_raw_parts(bytes.cast::<u8>(), count) });
    a.cmp(b) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strlen(text: *const c_char) -> usize {
    // SAFETY: as in C.
    unsafe { std::ffi::CStr::from_ptr(text) }.count_bytes()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: as in C.
    let [a, b] = [a, b].map(|text| unsafe { std::ffi::CStr::from_ptr(text) });
    a.cmp(b) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strncmp(a: *const c_char, b: *const c_char, count: usize) -> c_int {
    for index in 0..count {
        // SAFETY: the texts have not ended before this index.
        let [a, b] = [a, b].map(|text| unsafe { *text.add(index) } as u8);
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn ufbx_isnan(x: f64) -> c_int {
    c_int::from(x.is_nan())
}

/// Exports functions of `libm` under the names that ufbx uses.
macro_rules! export {
    ($($name:ident = $function:ident($($argument:ident),+);)+) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: f64),+) -> f64 {
                libm::$function($($argument),+)
            }
        )+
    };
}

export! {
    ufbx_sqrt = sqrt(x);
    ufbx_sin = sin(x);
    ufbx_cos = cos(x);
    ufbx_tan = tan(x);
    ufbx_asin = asin(x);
    ufbx_acos = acos(x);
    ufbx_atan = atan(x);
    ufbx_atan2 = atan2(y, x);
    ufbx_pow = pow(x, y);
    ufbx_fmin = fmin(x, y);
    ufbx_fmax = fmax(x, y);
    ufbx_fabs = fabs(x);
    ufbx_copysign = copysign(x, y);
    ufbx_nextafter = nextafter(x, y);
    ufbx_rint = rint(x);
    ufbx_floor = floor(x);
    ufbx_ceil = ceil(x);
}
