//! The codes of languages and regions in links to other languages.

/// Assigned codes of two letters: a bit for each second letter, by the first one.
type Codes = [u32; 26];

/// Reads a list of codes with a space after each.
const fn codes(list: &str) -> Codes {
    let list = list.as_bytes();
    let mut codes = [0; 26];
    let mut at = 0;
    while at + 1 < list.len() {
        codes[(list[at] - b'a') as usize] |= 1 << (list[at + 1] - b'a');
        at += 3;
    }
    codes
}

/// Two-letter codes of languages (ISO 639-1, with `sh`, which is deprecated but in use).
const LANGUAGES: Codes = codes(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it \
    iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd \
    ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st \
    su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu",
);

/// Two-letter codes of regions (ISO 3166-1, with `xk`, which is in use for Kosovo).
const REGIONS: Codes = codes(
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv \
    bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo \
    fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp \
    ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu \
    mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb \
    sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy \
    uz va vc ve vg vi vn vu wf ws xk ye yt za zm zw",
);

/// Codes of countries that authors write for a language, with the code of the language.
const SLIPS: [(&str, &str); 8] = [
    ("jp", "ja"),
    ("cn", "zh"),
    ("cz", "cs"),
    ("dk", "da"),
    ("gr", "el"),
    ("ua", "uk"),
    ("vn", "vi"),
    ("rs", "sr"),
];

/// Returns the problem of a valid `hreflang` whose language or region is not assigned. Codes of three letters or digits
/// are not checked.
pub(super) fn problem(hreflang: &str) -> Option<String> {
    if hreflang.eq_ignore_ascii_case("x-default") {
        return None;
    }
    let (language, rest) = hreflang.split_once('-').unwrap_or((hreflang, ""));
    if !is_in(&LANGUAGES, language) {
        let slip = SLIPS.iter().find(|(slip, _)| slip.eq_ignore_ascii_case(language));
        let hint = slip.map(|(_, code)| format!("; its language is `{code}`")).unwrap_or_default();
        let what = if is_in(&REGIONS, language) { "a region, not a language" } else { "not a language" };
        return Some(format!("`{language}` is {what}{hint}"));
    }
    let region = rest.rsplit('-').next().unwrap_or_default();
    let hint = if region.eq_ignore_ascii_case("uk") { "; the United Kingdom is `GB`" } else { "" };
    (!is_in(&REGIONS, region)).then(|| format!("`{region}` is not a region{hint}"))
}

/// Returns true for an assigned code, and for a text that does not have two letters.
fn is_in(codes: &Codes, code: &str) -> bool {
    let [first, second] = code.as_bytes() else { return true };
    let place = |letter: &u8| letter.is_ascii_alphabetic().then(|| letter.to_ascii_lowercase() - b'a');
    let (Some(first), Some(second)) = (place(first), place(second)) else { return true };
    codes.get(usize::from(first)).is_some_and(|seconds| seconds >> second & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unassigned_code_is_reported_with_the_assigned_one() {
        for good in
            ["en", "EN-gb", "zh-Hant", "zh-Hant-TW", "es-419", "x-default", "yue", "uk", "uk-UA", "nb-NO"]
        {
            assert_eq!(problem(good), None, "{good}");
        }
        for (bad, problem_of_it) in [
            ("en-UK", "`UK` is not a region; the United Kingdom is `GB`"),
            ("jp", "`jp` is a region, not a language; its language is `ja`"),
            ("JP-jp", "`JP` is a region, not a language; its language is `ja`"),
            ("xx", "`xx` is not a language"),
            ("de-Latn-EU", "`EU` is not a region"),
            ("us", "`us` is a region, not a language"),
        ] {
            assert_eq!(problem(bad).as_deref(), Some(problem_of_it), "{bad}");
        }
    }
}
