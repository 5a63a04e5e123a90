//! Product tokens of known crawlers.
//!
//! A table of the names that real robots.txt files address and real crawlers answer to: who runs the crawler and what
//! for. It serves to recognise a name ([`known`]) and to guess the one that was meant ([`closest`]); that a name is
//! absent says nothing about it. Some are retired, yet still stand in many files.
//!
//! Sources: the operators' own pages on their crawlers; [ai.robots.txt](https://github.com/ai-robots-txt/ai.robots.txt)
//! for the crawlers of AI companies; counts over published collections of robots.txt files for which names matter.

/// What a crawler fetches pages for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Purpose {
    /// A search engine's index.
    Search,
    /// Data to train models on, or a data set that is used so.
    Training,
    /// The index of an answer engine.
    AiSearch,
    /// One page that a person or their assistant asked for.
    UserTriggered,
    /// Link graphs, rankings and audits for site owners.
    Seo,
    /// Keeping the web for later.
    Archive,
    /// Previews of shared links.
    Social,
    /// Whether a site is up, valid, fast or safe.
    Monitoring,
    /// Advertising, research, downloads and everything else.
    Other,
}

/// A crawler that is known by its product token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KnownAgent {
    token: &'static str,
    operator: &'static str,
    purpose: Purpose,
}

impl KnownAgent {
    /// The product token as its operator writes it. Not every one keeps to the alphabet of RFC 9309 §2.2.1.
    pub const fn token(&self) -> &'static str {
        self.token
    }

    /// Who runs the crawler.
    pub const fn operator(&self) -> &'static str {
        self.operator
    }

    /// What it fetches pages for.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }
}

/// Every known crawler, sorted by token without regard to case.
pub fn all() -> &'static [KnownAgent] {
    &KNOWN
}

/// The crawler with this product token, compared without regard to case.
///
/// ```
/// use comity::agents::{self, Purpose};
///
/// let agent = agents::known("gptbot").unwrap();
/// assert_eq!((agent.token(), agent.operator(), agent.purpose()), ("GPTBot", "OpenAI", Purpose::Training));
/// assert!(agents::known("examplebot").is_none());
/// ```
pub fn known(token: &str) -> Option<&'static KnownAgent> {
    let key = || token.bytes().map(|byte| byte.to_ascii_lowercase());
    let at = KNOWN
        .binary_search_by(|agent| agent.token.bytes().map(|b| b.to_ascii_lowercase()).cmp(key()))
        .ok()?;
    KNOWN.get(at)
}

/// The crawler whose token differs from `token` by a slip or two: letters left out, added, changed or swapped.
///
/// One slip is allowed in tokens of 6 letters or more, a changed letter from 9 on, two slips from 12 on; shorter names
/// resemble each other too much. `None` if the token itself is known.
///
/// ```
/// use comity::agents;
///
/// assert_eq!(agents::closest("gogglebot").map(|agent| agent.token()), Some("Googlebot"));
/// assert!(agents::closest("Googlebot").is_none());
/// assert!(agents::closest("examplebot").is_none());
/// ```
pub fn closest(token: &str) -> Option<&'static KnownAgent> {
    let limit = match token.len() {
        0..=5 => return None,
        6..=11 => 1,
        12..=48 => 2,
        _ => return None,
    };
    if known(token).is_some() {
        return None;
    }
    // `Roverbot` is a crawler of its own, not a slip of `rogerbot`.
    let may_be_meant = |agent: &KnownAgent| {
        agent.token.len() >= 6
            && (token.len() >= 9 || agent.token.len() != token.len() || is_anagram(token, agent.token))
    };
    let near = KNOWN
        .iter()
        .filter(|agent| may_be_meant(agent))
        .filter_map(|agent| Some((edit_distance(token.as_bytes(), agent.token.as_bytes(), limit)?, agent)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, agent)| agent)
}

/// Whether two names have the same letters.
fn is_anagram(a: &str, b: &str) -> bool {
    let sorted = |name: &str| {
        let mut letters = name.to_ascii_lowercase().into_bytes();
        letters.sort_unstable();
        letters
    };
    letters(a.as_bytes()) == letters(b.as_bytes()) && sorted(a) == sorted(b)
}

/// How many letters have to be added, dropped, changed or swapped with their neighbour to make `a` of `b`, without regard
/// to case; `None` if more than `limit`. Costs length of `a` times length of `b`, and next to nothing if the letters
/// themselves differ too much.
pub(crate) fn edit_distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit || (letters(a) ^ letters(b)).count_ones() as usize > 2 * limit {
        return None;
    }
    // Three rows of the table: the one before the last is needed for swaps.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    let mut previous = 0_u8;
    for (i, &x) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let differs = usize::from(!x.eq_ignore_ascii_case(&y));
            let mut best = (last[j] + differs).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x.eq_ignore_ascii_case(&b[j - 1]) && y.eq_ignore_ascii_case(&previous) {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        previous = x;
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last.last().copied().filter(|distance| *distance <= limit)
}

/// Which letters occur, a bit for each of 32 classes of byte, blind to case: a distance of 1 changes at most two bits.
fn letters(text: &[u8]) -> u32 {
    text.iter().fold(0, |set, byte| set | 1 << (byte & 31))
}

const fn agent(token: &'static str, operator: &'static str, purpose: Purpose) -> KnownAgent {
    KnownAgent { token, operator, purpose }
}

/// Sorted by token in lower case.
static KNOWN: [KnownAgent; 320] = [
    agent("008", "80legs", Purpose::Other),
    agent("360Spider", "Qihoo 360", Purpose::Search),
    agent("adbeat_bot", "Adbeat", Purpose::Other),
    agent("AdIdxBot", "Microsoft", Purpose::Other),
    agent("ADmantX", "ADmantX", Purpose::Other),
    agent("AdsBot-Google", "Google", Purpose::Other),
    agent("AdsBot-Google-Mobile", "Google", Purpose::Other),
    agent("AdsBot-Google-Mobile-Apps", "Google", Purpose::Other),
    agent("AhrefsBot", "Ahrefs", Purpose::Seo),
    agent("AhrefsSiteAudit", "Ahrefs", Purpose::Seo),
    agent("AI2Bot", "Allen Institute for AI", Purpose::Training),
    agent("Ai2Bot-Dolma", "Allen Institute for AI", Purpose::Training),
    agent("aiHitBot", "aiHit", Purpose::Training),
    agent("alexabot", "Alexa", Purpose::Archive),
    agent("Amazonbot", "Amazon", Purpose::Training),
    agent("Amzn-SearchBot", "Amazon", Purpose::AiSearch),
    agent("Amzn-User", "Amazon", Purpose::UserTriggered),
    agent("Andibot", "Andi", Purpose::AiSearch),
    agent("anthropic-ai", "Anthropic", Purpose::Training),
    agent("APIs-Google", "Google", Purpose::Other),
    agent("Applebot", "Apple", Purpose::Search),
    agent("Applebot-Extended", "Apple", Purpose::Training),
    agent("archive.org_bot", "Internet Archive", Purpose::Archive),
    agent("Arquivo-web-crawler", "Arquivo.pt", Purpose::Archive),
    agent("AspiegelBot", "Huawei", Purpose::Search),
    agent("asterias", "AOL", Purpose::Other),
    agent("AwarioBot", "Awario", Purpose::Other),
    agent("AwarioRssBot", "Awario", Purpose::Other),
    agent("AwarioSmartBot", "Awario", Purpose::Other),
    agent("Baiduspider", "Baidu", Purpose::Search),
    agent("Baiduspider-ads", "Baidu", Purpose::Other),
    agent("Baiduspider-cpro", "Baidu", Purpose::Other),
    agent("Baiduspider-favo", "Baidu", Purpose::Other),
    agent("Baiduspider-image", "Baidu", Purpose::Search),
    agent("Baiduspider-mobile", "Baidu", Purpose::Search),
    agent("Baiduspider-news", "Baidu", Purpose::Search),
    agent("Baiduspider-video", "Baidu", Purpose::Search),
    agent("Barkrowler", "Babbar", Purpose::Seo),
    agent("bedrockbot", "Amazon", Purpose::Training),
    agent("bingbot", "Microsoft", Purpose::Search),
    agent("BingPreview", "Microsoft", Purpose::Search),
    agent("Blekkobot", "Blekko", Purpose::Search),
    agent("BLEXBot", "WebMeUp", Purpose::Seo),
    agent("BLP_bbot", "Bloomberg", Purpose::Other),
    agent("bnf.fr_bot", "BnF", Purpose::Archive),
    agent("Boardreader", "BoardReader", Purpose::Other),
    agent("botify", "Botify", Purpose::Seo),
    agent("Brightbot", "Bright Data", Purpose::Training),
    agent("BUbiNG", "University of Milan", Purpose::Other),
    agent("Buck", "Buck", Purpose::Other),
    agent("Bytespider", "ByteDance", Purpose::Training),
    agent("CCBot", "Common Crawl", Purpose::Training),
    agent("CensysInspect", "Censys", Purpose::Monitoring),
    agent("ChatGPT Agent", "OpenAI", Purpose::UserTriggered),
    agent("ChatGPT-User", "OpenAI", Purpose::UserTriggered),
    agent("Chrome-Lighthouse", "Google", Purpose::Monitoring),
    agent("Claude-SearchBot", "Anthropic", Purpose::AiSearch),
    agent("Claude-User", "Anthropic", Purpose::UserTriggered),
    agent("Claude-Web", "Anthropic", Purpose::UserTriggered),
    agent("ClaudeBot", "Anthropic", Purpose::Training),
    agent("Cliqzbot", "Cliqz", Purpose::Search),
    agent("Cloudflare-AutoRAG", "Cloudflare", Purpose::UserTriggered),
    agent("coccoc", "Coc Coc", Purpose::Search),
    agent("coccocbot-image", "Coc Coc", Purpose::Search),
    agent("coccocbot-web", "Coc Coc", Purpose::Search),
    agent("cohere-ai", "Cohere", Purpose::Training),
    agent("cohere-training-data-crawler", "Cohere", Purpose::Training),
    agent("Cotoyogi", "ROIS", Purpose::Training),
    agent("crawler4j", "crawler4j", Purpose::Other),
    agent("Crawlspace", "Crawlspace", Purpose::Training),
    agent("CriteoBot", "Criteo", Purpose::Other),
    agent("DataForSeoBot", "DataForSEO", Purpose::Seo),
    agent("Daum", "Kakao", Purpose::Search),
    agent("Daumoa", "Kakao", Purpose::Search),
    agent("deepcrawl", "Lumar", Purpose::Seo),
    agent("DeepSeekBot", "DeepSeek", Purpose::Training),
    agent("DeepTrawl", "Jumper Networks", Purpose::Seo),
    agent("Devin", "Cognition", Purpose::UserTriggered),
    agent("Diffbot", "Diffbot", Purpose::Training),
    agent("discobot", "Discovery Engine", Purpose::Other),
    agent("Discordbot", "Discord", Purpose::Social),
    agent("dotbot", "Moz", Purpose::Seo),
    agent("DuckAssistBot", "DuckDuckGo", Purpose::AiSearch),
    agent("DuckDuckBot", "DuckDuckGo", Purpose::Search),
    agent("DuplexWeb-Google", "Google", Purpose::Other),
    agent("EasouSpider", "Easou", Purpose::Search),
    agent("EchoboxBot", "Echobox", Purpose::Other),
    agent("Embedly", "Embedly", Purpose::Social),
    agent("Exabot", "Exalead", Purpose::Search),
    agent("Ezooms", "Ezooms", Purpose::Seo),
    agent("FacebookBot", "Meta", Purpose::Training),
    agent("facebookcatalog", "Meta", Purpose::Social),
    agent("facebookexternalhit", "Meta", Purpose::Social),
    agent("Facebot", "Meta", Purpose::Social),
    agent("Factset_spyderbot", "FactSet", Purpose::Training),
    agent("FeedFetcher-Google", "Google", Purpose::UserTriggered),
    agent("FirecrawlAgent", "Firecrawl", Purpose::UserTriggered),
    agent("FlipboardProxy", "Flipboard", Purpose::Social),
    agent("FriendlyCrawler", "FriendlyCrawler", Purpose::Training),
    agent("Genieo", "Genieo", Purpose::Other),
    agent("Gigabot", "Gigablast", Purpose::Search),
    agent("Google-CloudVertexBot", "Google", Purpose::UserTriggered),
    agent("Google-Extended", "Google", Purpose::Training),
    agent("Google-HotelAdsVerifier", "Google", Purpose::Other),
    agent("Google-InspectionTool", "Google", Purpose::UserTriggered),
    agent("Google-NotebookLM", "Google", Purpose::UserTriggered),
    agent("Google-Read-Aloud", "Google", Purpose::UserTriggered),
    agent("Google-Safety", "Google", Purpose::Monitoring),
    agent("Google-Site-Verification", "Google", Purpose::UserTriggered),
    agent("Googlebot", "Google", Purpose::Search),
    agent("Googlebot-Image", "Google", Purpose::Search),
    agent("Googlebot-Mobile", "Google", Purpose::Search),
    agent("Googlebot-News", "Google", Purpose::Search),
    agent("Googlebot-Video", "Google", Purpose::Search),
    agent("GoogleOther", "Google", Purpose::Other),
    agent("GoogleOther-Image", "Google", Purpose::Other),
    agent("GoogleOther-Video", "Google", Purpose::Other),
    agent("GoogleProducer", "Google", Purpose::UserTriggered),
    agent("GPTBot", "OpenAI", Purpose::Training),
    agent("grapeshot", "Oracle", Purpose::Other),
    agent("GrapeshotCrawler", "Oracle", Purpose::Other),
    agent("grub", "Grub", Purpose::Other),
    agent("grub-client", "Grub", Purpose::Other),
    agent("GSiteCrawler", "SOFTplus", Purpose::Seo),
    agent("GTmetrix", "GTmetrix", Purpose::Monitoring),
    agent("HaosouSpider", "Qihoo 360", Purpose::Search),
    agent("heritrix", "Internet Archive", Purpose::Archive),
    agent("HTTrack", "HTTrack", Purpose::Other),
    agent("ia_archiver", "Alexa", Purpose::Archive),
    agent("iaskspider", "iAsk", Purpose::AiSearch),
    agent("ICC-Crawler", "NICT", Purpose::Training),
    agent("ichiro", "NTT Resonant", Purpose::Search),
    agent("ImagesiftBot", "The Hive", Purpose::Training),
    agent("img2dataset", "img2dataset", Purpose::Training),
    agent("IonCrawl", "IONOS", Purpose::Other),
    agent("IRLbot", "Texas A&M University", Purpose::Other),
    agent("istellabot", "Tiscali", Purpose::Search),
    agent("JikeSpider", "People's Search", Purpose::Search),
    agent("JobboerseBot", "Jobbörse", Purpose::Other),
    agent("Kangaroo Bot", "Kangaroo", Purpose::Training),
    agent("LAIONDownloader", "LAION", Purpose::Training),
    agent("larbin", "larbin", Purpose::Other),
    agent("libwww", "libwww-perl", Purpose::Other),
    agent("libwww-perl", "libwww-perl", Purpose::Other),
    agent("Linguee", "Linguee", Purpose::Search),
    agent("linkdexbot", "Linkdex", Purpose::Seo),
    agent("LinkedInBot", "LinkedIn", Purpose::Social),
    agent("LinkpadBot", "LinkPad", Purpose::Seo),
    agent("LinkWalker", "LinkWalker", Purpose::Seo),
    agent("lwp-trivial", "libwww-perl", Purpose::Other),
    agent("magpie-crawler", "Brandwatch", Purpose::Other),
    agent("Mail.RU_Bot", "Mail.Ru", Purpose::Search),
    agent("meanpathbot", "meanpath", Purpose::Other),
    agent("Mediapartners-Google", "Google", Purpose::Other),
    agent("MegaIndex.ru", "MegaIndex", Purpose::Seo),
    agent("meltwaternews", "Meltwater", Purpose::Other),
    agent("Meta-ExternalAgent", "Meta", Purpose::Training),
    agent("Meta-ExternalFetcher", "Meta", Purpose::UserTriggered),
    agent("meta-webindexer", "Meta", Purpose::AiSearch),
    agent("MicrosoftPreview", "Microsoft", Purpose::Social),
    agent("MistralAI-User", "Mistral AI", Purpose::UserTriggered),
    agent("MJ12bot", "Majestic", Purpose::Seo),
    agent("moget", "NTT Resonant", Purpose::Search),
    agent("MojeekBot", "Mojeek", Purpose::Search),
    agent("MSIECrawler", "Microsoft", Purpose::Other),
    agent("msnbot", "Microsoft", Purpose::Search),
    agent("msnbot-media", "Microsoft", Purpose::Search),
    agent("msrabot", "Microsoft", Purpose::Other),
    agent("MSRBOT", "Microsoft", Purpose::Other),
    agent("NaverBot", "Naver", Purpose::Search),
    agent("NerdyBot", "Nerdy Data", Purpose::Other),
    agent("NetcraftSurveyAgent", "Netcraft", Purpose::Monitoring),
    agent("netEstate Imprint Crawler", "netEstate", Purpose::Training),
    agent("netEstate NE Crawler", "netEstate", Purpose::Other),
    agent("NetMechanic", "NetMechanic", Purpose::Monitoring),
    agent("NetSeer", "NetSeer", Purpose::Other),
    agent("Netvibes", "Netvibes", Purpose::Other),
    agent("NextGenSearchBot", "ZoomInfo", Purpose::Seo),
    agent("Nimbostratus-Bot", "Nimbostratus", Purpose::Other),
    agent("NovaAct", "Amazon", Purpose::UserTriggered),
    agent("NPBot", "NameProtect", Purpose::Other),
    agent("Nutch", "Apache", Purpose::Other),
    agent("OAI-SearchBot", "OpenAI", Purpose::AiSearch),
    agent("oBot", "IBM", Purpose::Other),
    agent("Offline Explorer", "MetaProducts", Purpose::Other),
    agent("omgili", "Webz.io", Purpose::Training),
    agent("omgilibot", "Webz.io", Purpose::Training),
    agent("OnCrawl", "OnCrawl", Purpose::Seo),
    agent("PanguBot", "Huawei", Purpose::Training),
    agent("panscient.com", "panscient", Purpose::Training),
    agent("PaperLiBot", "Paper.li", Purpose::Social),
    agent("peer39_crawler", "Peer39", Purpose::Other),
    agent("Perplexity-User", "Perplexity", Purpose::UserTriggered),
    agent("PerplexityBot", "Perplexity", Purpose::AiSearch),
    agent("PetalBot", "Huawei", Purpose::Search),
    agent("PhindBot", "Phind", Purpose::AiSearch),
    agent("Pinterest", "Pinterest", Purpose::Social),
    agent("Pinterestbot", "Pinterest", Purpose::Social),
    agent("PiplBot", "pipl", Purpose::Other),
    agent("proximic", "comScore", Purpose::Other),
    agent("psbot", "Picsearch", Purpose::Search),
    agent("Python-urllib", "Python", Purpose::Other),
    agent("QuillBot", "QuillBot", Purpose::Training),
    agent("Qwantbot", "Qwant", Purpose::Search),
    agent("Qwantify", "Qwant", Purpose::Search),
    agent("redditbot", "Reddit", Purpose::Social),
    agent("rogerbot", "Moz", Purpose::Seo),
    agent("SBIntuitionsBot", "SB Intuitions", Purpose::Training),
    agent("ScoutJet", "Blekko", Purpose::Search),
    agent("Scrapy", "Zyte", Purpose::Other),
    agent("Screaming Frog SEO Spider", "Screaming Frog", Purpose::Seo),
    agent("SearchmetricsBot", "Searchmetrics", Purpose::Seo),
    agent("SemrushBot", "Semrush", Purpose::Seo),
    agent("SemrushBot-BA", "Semrush", Purpose::Seo),
    agent("SemrushBot-BM", "Semrush", Purpose::Seo),
    agent("SemrushBot-COUB", "Semrush", Purpose::Seo),
    agent("SemrushBot-CT", "Semrush", Purpose::Seo),
    agent("SemrushBot-FT", "Semrush", Purpose::Seo),
    agent("SemrushBot-OCOB", "Semrush", Purpose::Seo),
    agent("SemrushBot-SA", "Semrush", Purpose::Seo),
    agent("SemrushBot-SI", "Semrush", Purpose::Seo),
    agent("SemrushBot-SWA", "Semrush", Purpose::Seo),
    agent("SEOkicks", "SEOkicks", Purpose::Seo),
    agent("SEOkicks-Robot", "SEOkicks", Purpose::Seo),
    agent("serpstatbot", "Serpstat", Purpose::Seo),
    agent("SeznamBot", "Seznam", Purpose::Search),
    agent("Sidetrade indexer bot", "Sidetrade", Purpose::Training),
    agent("sistrix", "Sistrix", Purpose::Seo),
    agent("SiteAuditBot", "Semrush", Purpose::Seo),
    agent("Siteimprove", "Siteimprove", Purpose::Seo),
    agent("SiteimproveBot", "Siteimprove", Purpose::Seo),
    agent("SiteimproveBot-Crawler", "Siteimprove", Purpose::Seo),
    agent("SiteSnagger", "SiteSnagger", Purpose::Other),
    agent("SiteSucker", "SiteSucker", Purpose::Other),
    agent("SkypeUriPreview", "Microsoft", Purpose::Social),
    agent("Slack-ImgProxy", "Slack", Purpose::Social),
    agent("Slackbot", "Slack", Purpose::Social),
    agent("Slackbot-LinkExpanding", "Slack", Purpose::Social),
    agent("Slurp", "Yahoo", Purpose::Search),
    agent("SlySearch", "Turnitin", Purpose::Other),
    agent("SMTBot", "SMTBot", Purpose::Seo),
    agent("Sogou", "Sogou", Purpose::Search),
    agent("Sogou inst spider", "Sogou", Purpose::Search),
    agent("Sogou spider", "Sogou", Purpose::Search),
    agent("Sogou spider2", "Sogou", Purpose::Search),
    agent("Sogou web spider", "Sogou", Purpose::Search),
    agent("Sosospider", "Tencent", Purpose::Search),
    agent("spbot", "OpenLinkProfiler", Purpose::Seo),
    agent("Spinn3r", "Spinn3r", Purpose::Other),
    agent("SplitSignalBot", "Semrush", Purpose::Seo),
    agent("SputnikBot", "Rostelecom", Purpose::Search),
    agent("StackRambler", "Rambler", Purpose::Search),
    agent("StatusCake", "StatusCake", Purpose::Monitoring),
    agent("Storebot-Google", "Google", Purpose::Search),
    agent("SurveyBot", "DomainTools", Purpose::Monitoring),
    agent("TelegramBot", "Telegram", Purpose::Social),
    agent("Teleport", "Tennyson Maxwell", Purpose::Other),
    agent("Teleport Pro", "Tennyson Maxwell", Purpose::Other),
    agent("TeleportPro", "Tennyson Maxwell", Purpose::Other),
    agent("Teoma", "Ask", Purpose::Search),
    agent("TikTokSpider", "ByteDance", Purpose::AiSearch),
    agent("Timpibot", "Timpi", Purpose::AiSearch),
    agent("TinEye", "TinEye", Purpose::Other),
    agent("TinEye-bot", "TinEye", Purpose::Other),
    agent("trendictionbot", "Talkwalker", Purpose::Other),
    agent("TrovitBot", "Trovit", Purpose::Search),
    agent("Tumblr", "Tumblr", Purpose::Social),
    agent("TurnitinBot", "Turnitin", Purpose::Other),
    agent("TweetmemeBot", "DataSift", Purpose::Social),
    agent("Twiceler", "Cuil", Purpose::Search),
    agent("Twitterbot", "X", Purpose::Social),
    agent("Uptimebot", "Uptime.com", Purpose::Monitoring),
    agent("UptimeRobot", "UptimeRobot", Purpose::Monitoring),
    agent("VelenPublicWebCrawler", "Velen", Purpose::Training),
    agent("vkShare", "VK", Purpose::Social),
    agent("W3C-checklink", "W3C", Purpose::Monitoring),
    agent("W3C_Validator", "W3C", Purpose::Monitoring),
    agent("WebCopier", "WebCopier", Purpose::Other),
    agent("WebReaper", "WebReaper", Purpose::Other),
    agent("WebStripper", "WebStripper", Purpose::Other),
    agent("Webzio-Extended", "Webz.io", Purpose::Training),
    agent("WebZIP", "WebZIP", Purpose::Other),
    agent("Wget", "GNU", Purpose::Other),
    agent("WhatsApp", "Meta", Purpose::Social),
    agent("WinHTTrack", "HTTrack", Purpose::Other),
    agent("Wotbox", "Wotbox", Purpose::Search),
    agent("Xenu", "Xenu", Purpose::Seo),
    agent("Xenu's", "Xenu", Purpose::Seo),
    agent("Xenu's Link Sleuth", "Xenu", Purpose::Seo),
    agent("XoviBot", "Xovi", Purpose::Seo),
    agent("yacybot", "YaCy", Purpose::Search),
    agent("Yahoo-MMCrawler", "Yahoo", Purpose::Search),
    agent("Yandex", "Yandex", Purpose::Search),
    agent("YandexAccessibilityBot", "Yandex", Purpose::Other),
    agent("YandexAdditional", "Yandex", Purpose::AiSearch),
    agent("YandexAdditionalBot", "Yandex", Purpose::AiSearch),
    agent("YandexBlogs", "Yandex", Purpose::Search),
    agent("YandexBot", "Yandex", Purpose::Search),
    agent("YandexCalendar", "Yandex", Purpose::Search),
    agent("YandexDirect", "Yandex", Purpose::Other),
    agent("YandexFavicons", "Yandex", Purpose::Search),
    agent("YandexImages", "Yandex", Purpose::Search),
    agent("YandexMarket", "Yandex", Purpose::Search),
    agent("YandexMedia", "Yandex", Purpose::Search),
    agent("YandexMetrika", "Yandex", Purpose::Other),
    agent("YandexMobileBot", "Yandex", Purpose::Search),
    agent("YandexNews", "Yandex", Purpose::Search),
    agent("YandexPagechecker", "Yandex", Purpose::Other),
    agent("YandexRenderResourcesBot", "Yandex", Purpose::Search),
    agent("YandexScreenshotBot", "Yandex", Purpose::Other),
    agent("YandexSitelinks", "Yandex", Purpose::Search),
    agent("YandexTurbo", "Yandex", Purpose::Search),
    agent("YandexVideo", "Yandex", Purpose::Search),
    agent("YandexWebmaster", "Yandex", Purpose::Other),
    agent("Yeti", "Naver", Purpose::Search),
    agent("YisouSpider", "UCWeb", Purpose::Search),
    agent("YouBot", "You.com", Purpose::AiSearch),
    agent("YoudaoBot", "NetEase", Purpose::Search),
    agent("ZoominfoBot", "ZoomInfo", Purpose::Seo),
    agent("ZyBorg", "LookSmart", Purpose::Search),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_unique() {
        for pair in KNOWN.windows(2) {
            assert!(pair[0].token.to_ascii_lowercase() < pair[1].token.to_ascii_lowercase(), "{pair:?}");
        }
    }

    #[test]
    fn every_token_is_found_whatever_its_case() {
        for agent in all() {
            assert_eq!(known(&agent.token.to_ascii_uppercase()), Some(agent));
            assert_eq!(closest(agent.token), None);
        }
    }

    #[test]
    fn slips_are_counted_as_a_person_would() {
        let distance = |a: &str, b: &str| edit_distance(a.as_bytes(), b.as_bytes(), 2);
        assert_eq!(distance("disallow", "disallow"), Some(0));
        assert_eq!(distance("diasllow", "disallow"), Some(1));
        assert_eq!(distance("disalow", "disallow"), Some(1));
        assert_eq!(distance("desallaw", "disallow"), Some(2));
        assert_eq!(distance("noindex", "disallow"), None);
        assert_eq!(distance("", "ab"), Some(2));
        assert_eq!(distance("", ""), Some(0));
    }

    #[test]
    fn short_names_have_no_neighbours() {
        for name in ["slurb", "crcbot", "roverbot", "wotbot", "aipbot", "amazonadbot"] {
            assert_eq!(closest(name), None, "{name}");
        }
        assert_eq!(closest("googelbot").map(KnownAgent::token), Some("Googlebot"));
        assert_eq!(closest("GTPBot").map(KnownAgent::token), Some("GPTBot"));
        assert_eq!(closest("bingbt").map(KnownAgent::token), Some("bingbot"));
    }
}
