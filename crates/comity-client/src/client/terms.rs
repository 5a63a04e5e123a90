//! Terms of use of an answer, for its record.
//!
//! Without the feature `page`, `without_page.rs` replaces this file.

use super::Inner;
use super::answer::AnswerHead;
use crate::Origin;
use crate::options::FetchOptions;
use crate::retrieval::FetchRecord;

impl Inner {
    /// Adds the refusal of the server to a record, if the answer is one.
    pub(super) fn note_refusal(&self, record: &mut FetchRecord, head: &AnswerHead, body: &[u8]) {
        record.note_refusal(head.status, &head.headers, body);
    }

    /// Adds the terms of use in an answer and in robots.txt to a record, if the options require it.
    pub(super) async fn read_terms(
        &self,
        record: &mut FetchRecord,
        options: &FetchOptions,
        origin: &Origin,
        (head, body): (&AnswerHead, &[u8]),
    ) {
        if options.reads_use {
            let (crawler, answer) = ((&self.agent, options.profile), (&head.headers, body));
            record.read_terms(answer, crawler, (&self.robots, origin), self.clock.now()).await;
        }
    }
}
