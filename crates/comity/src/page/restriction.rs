//! The kinds of restriction that a page can ask for.

use crate::words::words;

words! {
    /// The kinds of restriction that a page can ask for.
    Restriction as "restriction" {
        /// Do not list the page.
        DoNotIndex = "do_not_index",
        /// List the page only as a part of others that embed it.
        IndexOnlyEmbedded = "index_only_embedded",
        /// Do not show the page after a time, which has not come yet.
        DoNotShowAfter = "do_not_show_after",
        /// Do not follow the links of the page, nor let them count.
        DoNotFollow = "do_not_follow",
        /// Show no text of the page.
        DoNotShowSnippet = "do_not_show_snippet",
        /// Show at most so many characters of text.
        SnippetLimit = "snippet_limit",
        /// Show no text of the elements marked `data-nosnippet`.
        DoNotShowSnippetOfParts = "do_not_show_snippet_of_parts",
        /// Show no larger image.
        ImagePreviewLimit = "image_preview_limit",
        /// Show at most so many seconds of video; 0 is a still.
        VideoPreviewLimit = "video_preview_limit",
        /// Show no stored copy.
        DoNotCache = "do_not_cache",
        /// Offer no translation.
        DoNotTranslate = "do_not_translate",
        /// Do not list the images of the page.
        DoNotIndexImages = "do_not_index_images",
        /// Show no description made for the page.
        DoNotDescribe = "do_not_describe",
        /// Do not use the content as direct input to AI answers.
        DoNotUseInAiAnswers = "do_not_use_in_ai_answers",
        /// Use no more than URL, title and snippet in AI answers and training.
        AiSnippetOnly = "ai_snippet_only",
        /// Do not train AI on the content.
        DoNotTrainAi = "do_not_train_ai",
        /// Do not train AI on the images.
        DoNotTrainAiOnImages = "do_not_train_ai_on_images",
    }
}

impl Restriction {
    /// Returns the restriction in a few words.
    pub const fn summary(self) -> &'static str {
        match self {
            Restriction::DoNotIndex => "do not list the page",
            Restriction::IndexOnlyEmbedded => "list the page only where others embed it",
            Restriction::DoNotShowAfter => "do not show the page after this time",
            Restriction::DoNotFollow => "do not follow its links",
            Restriction::DoNotShowSnippet => "show no text of it",
            Restriction::SnippetLimit => "show at most this many characters",
            Restriction::DoNotShowSnippetOfParts => "show no text of the elements marked so",
            Restriction::ImagePreviewLimit => "show no larger image",
            Restriction::VideoPreviewLimit => "show at most this many seconds of video",
            Restriction::DoNotCache => "show no stored copy",
            Restriction::DoNotTranslate => "offer no translation",
            Restriction::DoNotIndexImages => "do not list its images",
            Restriction::DoNotDescribe => "show no description made for it",
            Restriction::DoNotUseInAiAnswers => "do not use it in AI answers",
            Restriction::AiSnippetOnly => "AI: use URL, title and snippet only",
            Restriction::DoNotTrainAi => "do not train AI on it",
            Restriction::DoNotTrainAiOnImages => "do not train AI on its images",
        }
    }
}
