//! Paths as URIs (RFC 3986).

use std::fmt::Write;

/// Writes a path as a URI reference; a Windows path and an absolute one as `file:` URIs.
pub(super) fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let has_drive = path.get(1..3) == Some(":/");
    let start = match (has_drive, path.starts_with('/')) {
        (true, _) => "file:///",
        (false, true) => "file://",
        // A colon in the first part would read as a scheme.
        (false, false) if path.split('/').next().unwrap_or("").contains(':') => "./",
        (false, false) => "",
    };
    format!("{start}{}", percent_encoded(&path))
}

/// Writes a path as part of a URI: all but what is harmless as `%20`.
pub(super) fn percent_encoded(path: &str) -> String {
    let is_harmless = |b: u8| b.is_ascii_alphanumeric() || b"/.-_~:".contains(&b);
    let mut encoded = String::new();
    for byte in path.bytes() {
        if is_harmless(byte) {
            encoded.push(byte.into());
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
