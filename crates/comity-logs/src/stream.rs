//! Reads growing pipes and standard input. A separate thread opens and reads each stream, since these operations cannot be
//! cancelled.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};

use comity_formats::logs::LogLines;

use crate::error::LogsError;

/// Maximum number of chunks that are read ahead.
const MAX_CHUNKS: usize = 16;

/// Maximum size of a chunk, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// A stream that a thread reads ahead.
pub(crate) struct Stream {
    pub(crate) lines: LogLines,
    /// Receives the result of the thread.
    end: Receiver<Result<(), LogsError>>,
}

impl Stream {
    /// Starts a thread that reads a stream.
    pub(crate) fn start(
        name: String,
        open: impl FnOnce() -> io::Result<Box<dyn Read + Send>> + Send + 'static,
    ) -> Stream {
        let (chunks, received) = mpsc::sync_channel(MAX_CHUNKS);
        let (sender, end) = mpsc::channel();
        let lines = LogLines::growing(name.clone(), Chunks { chunks: received, chunk: Vec::new(), at: 0 });
        std::thread::spawn(move || {
            let result = open().and_then(|bytes| send(bytes, &chunks));
            // Sending fails if the job has ended.
            let _ = sender.send(result.map_err(|source| LogsError::Read { name, source }));
        });
        Stream { lines, end }
    }

    /// Returns the result of the thread if it has ended. At that time, all chunks have been sent.
    pub(crate) fn end(&self) -> Option<Result<(), LogsError>> {
        self.end.try_recv().ok()
    }
}

/// Sends all bytes in chunks.
fn send(mut bytes: impl Read, chunks: &SyncSender<Vec<u8>>) -> io::Result<()> {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        match bytes.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                chunk.truncate(length);
                if chunks.send(chunk).is_err() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A reader of the chunks that were read ahead. A read returns no bytes if there is no chunk yet, and a later read may return
/// bytes again.
struct Chunks {
    chunks: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            match self.chunks.try_recv() {
                Ok(chunk) => (self.chunk, self.at) = (chunk, 0),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(0),
            }
        }
        let left = self.chunk.get(self.at..).unwrap_or_default();
        let length = left.len().min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}
