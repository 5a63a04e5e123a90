//! Replaces `terms.rs` without the feature `page`: terms of use are not read.

use super::Inner;
use super::answer::AnswerHead;
use crate::Origin;
use crate::options::FetchOptions;
use crate::retrieval::FetchRecord;

impl Inner {
    pub(super) fn note_refusal(&self, _: &mut FetchRecord, _: &AnswerHead, _: &[u8]) {}

    pub(super) async fn read_terms(
        &self,
        _: &mut FetchRecord,
        _: &FetchOptions,
        _: &Origin,
        _: (&AnswerHead, &[u8]),
    ) {
    }
}
