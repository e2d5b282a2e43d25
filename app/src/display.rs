//! Whether this machine has a display.

/// Whether a window can be opened at all; only X11 and Wayland need to be told where.
#[cfg(feature = "desktop")]
pub fn is_there() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// The same for people. A machine without a display lacks nothing that a command needs.
#[cfg(feature = "desktop")]
pub fn in_words() -> &'static str {
    if is_there() {
        "there is one for the desktop app"
    } else {
        "none (neither DISPLAY nor WAYLAND_DISPLAY is set): no desktop app here; every command works without"
    }
}

#[cfg(not(feature = "desktop"))]
pub fn in_words() -> &'static str {
    "not used: this build has no desktop app"
}
