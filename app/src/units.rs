//! Times and sizes as people say them, on every surface.

/// How long: «340 ms», «8.1 s», «2 min 05 s», «3 h 07 min».
pub fn lasting(ms: u64) -> String {
    let seconds = ms / 1_000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// Bytes in the largest unit that keeps a digit before the point.
pub fn bytes(count: u64) -> String {
    const KIB: f64 = 1_024.0;
    let count = count as f64;
    if count < KIB {
        format!("{count:.0} bytes")
    } else if count < KIB * KIB {
        format!("{:.0} KiB", count / KIB)
    } else if count < KIB * KIB * KIB {
        format!("{:.1} MiB", count / (KIB * KIB))
    } else {
        format!("{:.1} GiB", count / (KIB * KIB * KIB))
    }
}
