//! Checks the names in the types of the Python package.

use comity::policy::Preset;
use comity::robots::Dialect;
use testkit::printed::assert_code_printed;

/// Returns a Python type that accepts exactly these words.
fn literal<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> String {
    let words: String = words.map(|word| format!("    \"{word}\",\n")).collect();
    format!("{name}: TypeAlias = Literal[\n{words}]\n")
}

#[test]
fn python_types_list_every_dialect_and_preset() {
    let dialects = literal("Dialect", Dialect::ALL.into_iter().map(Dialect::name));
    let presets = literal("Preset", Preset::ALL.into_iter().map(Preset::name));
    assert_code_printed("python/package/comity/_names.py", &[("names", dialects + &presets)]);
}
