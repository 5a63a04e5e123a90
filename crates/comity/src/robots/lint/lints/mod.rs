//! Every lint, a file each: its row (code, severity, documentation, a bad and a good example) and its check beside it.
//!
//! To add one, write its file and name it in the two lists here. The tests then demand that its bad example raises it and
//! that its good example is clean, and `UPDATE_DOCS=1` prints `docs/reference/lints.md` anew.

use super::Lint;

mod agent_alphabet;
mod agent_empty;
mod agent_is_header;
mod agent_list;
mod agent_not_a_token;
mod agent_version;
mod agent_wildcard;
mod backslash;
mod blank_line_in_group;
mod blocks_assets;
mod blocks_everything;
mod byte_order_mark;
mod case_twin;
mod content_signal_term;
mod content_usage_among_agents;
mod content_usage_syntax;
mod content_usage_term;
mod control_character;
mod crawl_delay_ignored;
mod crawl_delay_not_a_number;
mod directive_suffix;
mod dollar_inside;
mod dot_segment;
mod double_slash;
mod duplicate_rule;
mod duplicate_sitemap;
mod empty_group;
mod empty_rule;
mod hash_in_pattern;
mod html_entity;
mod invalid_utf8;
mod invisible_character;
mod joined_groups;
mod limited_directive;
mod line_too_long;
mod long_crawl_delay;
mod lower_case_hex;
mod malformed_percent;
mod malformed_sitemap;
mod malformed_value;
mod missing_colon;
mod misspelt_agent;
mod misspelt_directive;
mod mixed_line_ends;
mod non_ascii;
mod not_a_directive;
mod not_robots_txt;
mod nul_byte;
mod obsolete_directive;
mod pattern_start;
mod pattern_url;
mod placeholder_sitemap;
mod redundant_rule;
mod regex_in_pattern;
mod relative_license;
mod relative_sitemap;
mod repeated_agent;
mod repeated_crawl_delay;
mod retired_agent;
mod robots_txt_rule;
mod rule_outside_group;
mod several_directives;
mod shadowed_rule;
mod sitemap_disallowed;
mod sitemap_fragment;
mod sitemap_too_long;
mod space_in_pattern;
mod star_rules_dropped;
mod too_large;
mod trailing_separator;
mod unknown_directive;
mod utf_16;
mod wildcard_noop;
mod yandex_limits;

/// Every lint, in the order of the documentation: the bytes, the lines, who is meant, the patterns, rules together, the
/// other directives.
pub(super) const ALL: &[&Lint] = &[
    &utf_16::LINT,
    &not_robots_txt::LINT,
    &byte_order_mark::LINT,
    &invalid_utf8::LINT,
    &nul_byte::LINT,
    &control_character::LINT,
    &invisible_character::LINT,
    &mixed_line_ends::LINT,
    &too_large::LINT,
    &line_too_long::LINT,
    &not_a_directive::LINT,
    &missing_colon::LINT,
    &misspelt_directive::LINT,
    &directive_suffix::LINT,
    &unknown_directive::LINT,
    &several_directives::LINT,
    &rule_outside_group::LINT,
    &blank_line_in_group::LINT,
    &joined_groups::LINT,
    &content_usage_among_agents::LINT,
    &repeated_agent::LINT,
    &empty_group::LINT,
    &star_rules_dropped::LINT,
    &misspelt_agent::LINT,
    &retired_agent::LINT,
    &agent_not_a_token::LINT,
    &agent_is_header::LINT,
    &agent_list::LINT,
    &agent_version::LINT,
    &agent_alphabet::LINT,
    &agent_wildcard::LINT,
    &agent_empty::LINT,
    &pattern_start::LINT,
    &pattern_url::LINT,
    &double_slash::LINT,
    &case_twin::LINT,
    &trailing_separator::LINT,
    &html_entity::LINT,
    &empty_rule::LINT,
    &shadowed_rule::LINT,
    &duplicate_rule::LINT,
    &redundant_rule::LINT,
    &wildcard_noop::LINT,
    &dollar_inside::LINT,
    &non_ascii::LINT,
    &lower_case_hex::LINT,
    &malformed_percent::LINT,
    &hash_in_pattern::LINT,
    &dot_segment::LINT,
    &backslash::LINT,
    &regex_in_pattern::LINT,
    &space_in_pattern::LINT,
    &robots_txt_rule::LINT,
    &yandex_limits::LINT,
    &blocks_everything::LINT,
    &blocks_assets::LINT,
    &relative_sitemap::LINT,
    &malformed_sitemap::LINT,
    &sitemap_fragment::LINT,
    &sitemap_too_long::LINT,
    &duplicate_sitemap::LINT,
    &sitemap_disallowed::LINT,
    &placeholder_sitemap::LINT,
    &obsolete_directive::LINT,
    &limited_directive::LINT,
    &crawl_delay_ignored::LINT,
    &crawl_delay_not_a_number::LINT,
    &long_crawl_delay::LINT,
    &repeated_crawl_delay::LINT,
    &malformed_value::LINT,
    &content_usage_syntax::LINT,
    &content_usage_term::LINT,
    &content_signal_term::LINT,
    &relative_license::LINT,
];
