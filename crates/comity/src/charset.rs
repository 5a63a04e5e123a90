//! Labels of charsets.

use encoding_rs::Encoding;

/// True if the program contains the tables of the charsets (the feature `charsets`). Otherwise it reads UTF-8, and
/// ISO-8859-1 in robots.txt.
pub(crate) const HAS_TABLES: bool = cfg!(feature = "charsets");

/// Returns the encoding to which the Encoding Standard assigns a label. Returns `None` for unknown labels, for encodings
/// that browsers do not decode ("replacement"), and without the feature `charsets`.
pub(crate) fn encoding_of(label: &[u8]) -> Option<&'static Encoding> {
    if HAS_TABLES { Encoding::for_label_no_replacement(label) } else { None }
}

/// Returns true for the labels that mean ISO-8859-1, as in HTTP. The Encoding Standard reads them as windows-1252, and
/// does not know `latin-1`.
pub(crate) fn is_latin1(label: &str) -> bool {
    ["iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1"]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known))
}
