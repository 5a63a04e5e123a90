//! The kinds of restriction that a page can request.

use crate::words::words;

words! {
    /// The kind of a restriction that a page can request.
    Restriction as "restriction" with summary {
        /// Do not list the page.
        DoNotIndex = "do_not_index" => "do not list the page",
        /// List the page only as a part of other pages that embed it.
        IndexOnlyEmbedded = "index_only_embedded" => "list the page only where others embed it",
        /// Do not show the page after a given time, which has not passed yet.
        DoNotShowAfter = "do_not_show_after" => "do not show the page after this time",
        /// Do not follow the links of the page, and do not count them.
        DoNotFollow = "do_not_follow" => "do not follow its links",
        /// Show no text of the page.
        DoNotShowSnippet = "do_not_show_snippet" => "show no text of it",
        /// Show at most this number of characters of text.
        SnippetLimit = "snippet_limit" => "show at most this many characters",
        /// Show no text of the elements marked `data-nosnippet`.
        DoNotShowSnippetOfParts = "do_not_show_snippet_of_parts" => "show no text of the marked elements",
        /// Show no image larger than the given size.
        ImagePreviewLimit = "image_preview_limit" => "show no larger image",
        /// Show at most this number of seconds of video; 0 is a still image.
        VideoPreviewLimit = "video_preview_limit" => "show at most this many seconds of video",
        /// Show no stored copy.
        DoNotCache = "do_not_cache" => "show no stored copy",
        /// Offer no translation.
        DoNotTranslate = "do_not_translate" => "offer no translation",
        /// Do not list the images of the page.
        DoNotIndexImages = "do_not_index_images" => "do not list its images",
        /// Show no description that somebody else wrote for the page.
        DoNotDescribe = "do_not_describe" => "show no description that others wrote",
        /// Do not use the content as direct input to AI answers.
        DoNotUseInAiAnswers = "do_not_use_in_ai_answers" => "do not use it in AI answers",
        /// Use no more than URL, title and snippet in AI answers and training.
        AiSnippetOnly = "ai_snippet_only" => "AI: use URL, title and snippet only",
        /// Do not train AI on the content.
        DoNotTrainAi = "do_not_train_ai" => "do not train AI on it",
        /// Do not train AI on the images.
        DoNotTrainAiOnImages = "do_not_train_ai_on_images" => "do not train AI on its images",
    }
}
