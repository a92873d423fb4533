//! Gives the focus to the first field of a dialog. The dialog requests the focus before it draws its fields; the first
//! field takes the request.

use egui::{Context, Id, Ui};

fn request_id() -> Id {
    Id::unique("first_field")
}

/// Makes the next field that is drawn take the focus.
pub fn request(ctx: &Context) {
    ctx.data_mut(|d| d.insert_temp(request_id(), ()));
}

/// Withdraws the request. Returns whether a field took it.
pub fn was_taken(ctx: &Context) -> bool {
    ctx.data_mut(|d| d.remove_temp::<()>(request_id())).is_none()
}

/// Returns whether the calling field must take the focus.
pub(super) fn take(ui: &Ui) -> bool {
    ui.data_mut(|d| d.remove_temp::<()>(request_id())).is_some()
}
