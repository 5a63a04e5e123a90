//! Names and versions in the Python packages.

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
