//! Checks names and versions in the Python packages and the JavaScript package.

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

#[test]
fn javascript_types_list_every_dialect_and_preset() {
    let union = |name: &str, words: &[&str]| {
        let words: String = words.iter().map(|word| format!("\n  | \"{word}\"")).collect();
        format!("export type {name} ={words};\n")
    };
    let dialects = union("Dialect", &Dialect::ALL.map(Dialect::name));
    assert_code_printed("js/src/index.d.ts", &[("dialects", dialects)]);
    let presets = union("Preset", &Preset::ALL.map(Preset::name));
    assert_code_printed("js/src/operations.d.ts", &[("presets", presets)]);
}

#[test]
fn javascript_package_has_the_version_of_the_workspace() {
    let package = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../js/package.json"));
    let package: serde_json::Value = serde_json::from_str(&package.expect("js/package.json")).expect("JSON");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn python_packages_have_and_require_the_version_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    for package in ["python/package/comity", "python/command/package/comity_command"] {
        let line = format!("__version__ = \"{version}\"\n");
        assert_code_printed(&format!("{package}/__init__.py"), &[("version", line)]);
    }
    let command = format!("command = [\"comity-command=={version}\"]\n");
    assert_code_printed("python/pyproject.toml", &[("command", command)]);
    let comity = format!("dependencies = [\"comity=={version}\"]\n");
    assert_code_printed("python/command/pyproject.toml", &[("comity", comity)]);
}
