//! Generates the settings for programs in other languages.

use comity_client::settings::{Setting, Settings, ValueForm, ValueKind};
use testkit::printed::assert_file;

/// Returns the type of a setting's value in Python.
fn python_type(setting: &Setting) -> String {
    let ValueForm { kind, is_list, .. } = setting.form;
    let one = match kind {
        ValueKind::Choice { names, .. } => {
            let names: Vec<String> = names().iter().map(|name| format!("\"{name}\"")).collect();
            format!("Literal[{}]", names.join(", "))
        }
        ValueKind::Seconds => "float".to_owned(),
        ValueKind::Number { .. } => "int".to_owned(),
        ValueKind::Switch => "bool".to_owned(),
        // Networks, URLs and paths have their own classes in Python, so any object is accepted and converted to text.
        _ if is_list => "object".to_owned(),
        _ => "TextLike".to_owned(),
    };
    if is_list { format!("Iterable[{one}]") } else { one }
}

/// Checks the keyword arguments of `comity.Client`. Each setting with a flag is a keyword, except the token, which is
/// the first parameter.
#[test]
fn keywords_of_python_are_generated_from_the_settings() {
    let mut text = String::from(
        "\"\"\"The keywords of the clients, generated from the list of settings by a test of `comity-client`.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         import os\n\
         from collections.abc import Iterable\n\
         from typing import Literal, TypedDict\n\n\
         from ._urls import UrlLike\n\n\
         TextLike = UrlLike | os.PathLike[str]\n\n\n\
         class Keywords(TypedDict, total=False):\n    \
         \"\"\"Settings that a client takes as keywords. A keyword with the value None is ignored.\"\"\"\n",
    );
    for setting in Settings::all().filter(|setting| setting.path() != "agent.token") {
        let Some(keyword) = setting.keyword() else { continue };
        text += &format!("\n    {keyword}: {} | None\n", python_type(setting));
        text += &format!("    \"\"\"`{}`: {}.\"\"\"\n", setting.path(), setting.sentence());
    }
    assert_file("python/package/comity/_keywords.py", &text);
}
