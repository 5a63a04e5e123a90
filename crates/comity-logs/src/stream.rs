//! Pipes and standard input, read as data arrives. A thread opens and reads each of them, because neither operation can be
//! cancelled.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};

use comity_formats::logs::LogLines;

use crate::error::LogsError;

/// Number and size of the chunks of a stream that are read ahead.
const PIECES: usize = 16;
const PIECE: usize = 64 * 1024;

/// A stream that a thread reads ahead.
pub(crate) struct Stream {
    pub(crate) lines: LogLines,
    end: Receiver<Result<(), LogsError>>,
}

impl Stream {
    /// Starts a thread that reads a stream.
    pub(crate) fn start(
        name: String,
        open: impl FnOnce() -> io::Result<Box<dyn Read + Send>> + Send + 'static,
    ) -> Stream {
        let (pieces, received) = mpsc::sync_channel(PIECES);
        let (sender, end) = mpsc::channel();
        let lines = LogLines::growing(name.clone(), Pieces { pieces: received, piece: Vec::new(), at: 0 });
        std::thread::spawn(move || {
            let result = open().and_then(|bytes| send(bytes, &pieces));
            // Sending fails if the job has ended.
            let _ = sender.send(result.map_err(|source| LogsError::Read { name, source }));
        });
        Stream { lines, end }
    }

    /// Returns the result of the thread if it has ended. The thread sends all chunks before it ends.
    pub(crate) fn end(&self) -> Option<Result<(), LogsError>> {
        self.end.try_recv().ok()
    }
}

fn send(mut bytes: impl Read, pieces: &SyncSender<Vec<u8>>) -> io::Result<()> {
    loop {
        let mut piece = vec![0; PIECE];
        match bytes.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                piece.truncate(length);
                if pieces.send(piece).is_err() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reader of the chunks that were read ahead. A read returns 0 bytes if no chunk is available. A later read may return
/// more.
struct Pieces {
    pieces: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            match self.pieces.try_recv() {
                Ok(piece) => (self.piece, self.at) = (piece, 0),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(0),
            }
        }
        let left = self.piece.get(self.at..).unwrap_or_default();
        let length = left.len().min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}
