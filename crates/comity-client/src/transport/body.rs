//! The body of an answer. Reads and decodes frames, and returns the connection to the pool at the end of the body.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use comity::policy::Failure;
use hyper::body::{Body as _, Incoming};

use super::coding::{CodingError, Decoding, Pulled};
use super::pool::{Connection, Pool};
use super::{Body, TransportError, failure};
use crate::BoxFuture;

/// Maximum number of decoded bytes in one chunk.
const MAX_CHUNK: usize = 32 * 1024;

/// Number of frames that a body may have whatever their size. Each [`BYTES_PER_FRAME`] bytes of the body allow one more
/// frame. This limit rejects a server that sends a body byte by byte.
const FRAMES: u64 = 1 << 16;

/// Number of bytes of a body for each frame beyond [`FRAMES`].
const BYTES_PER_FRAME: u64 = 8;

/// Maximum number of encoded bytes in excess of twice the decoded bytes. It limits empty blocks and endless headers,
/// which decode to nothing.
const OVERHEAD: u64 = 1 << 20;

/// The body of an answer while it is read.
pub(super) struct HttpBody {
    /// `None` at the end of the body.
    incoming: Option<Incoming>,
    connection: Option<Connection>,
    pool: Arc<Pool>,
    coding: BodyCoding,
    /// Maximum time without data.
    timeout: Duration,
    frames: u64,
    bytes: u64,
}

/// The coding of a body.
enum BodyCoding {
    Plain,
    In {
        decoding: Box<Decoding>,
        decoded: u64,
        buffer: Vec<u8>,
    },
    /// The body cannot be decoded.
    Unreadable(CodingError),
}

impl HttpBody {
    /// Creates the body of an answer that arrives on `connection`. `codings` are the content and transfer codings in
    /// the header.
    pub(super) fn new(
        incoming: Incoming,
        connection: Connection,
        pool: Arc<Pool>,
        codings: Result<Vec<super::coding::Coding>, CodingError>,
        timeout: Duration,
    ) -> Self {
        let coding = match codings {
            Ok(codings) if codings.is_empty() => BodyCoding::Plain,
            Ok(codings) => {
                let decoding = Box::new(Decoding::new(&codings));
                BodyCoding::In { decoding, decoded: 0, buffer: Vec::new() }
            }
            Err(error) => BodyCoding::Unreadable(error),
        };
        let (connection, incoming) = (Some(connection), Some(incoming));
        let mut body = HttpBody { incoming, connection, pool, coding, timeout, frames: 0, bytes: 0 };
        body.release_at_end();
        body
    }

    /// Returns the connection to the pool if the body is complete.
    fn release_at_end(&mut self) {
        if self.incoming.as_ref().is_some_and(|incoming| incoming.is_end_stream()) {
            self.release();
        }
    }

    fn release(&mut self) {
        let rest = self.incoming.take().filter(|incoming| !incoming.is_end_stream());
        if let Some(connection) = self.connection.take() {
            self.pool.give_back(connection, rest);
        }
    }

    /// Returns the next bytes before decoding, or `None` at the end.
    async fn frame(&mut self) -> Result<Option<Bytes>, TransportError> {
        let frame = self.try_frame().await;
        if frame.is_err() {
            // Close the connection, since skipping the rest of the body would take longer than opening a new
            // connection.
            self.connection = None;
        }
        frame
    }

    async fn try_frame(&mut self) -> Result<Option<Bytes>, TransportError> {
        while let Some(incoming) = &mut self.incoming {
            let next = std::future::poll_fn(|context| Pin::new(&mut *incoming).poll_frame(context));
            let Ok(frame) = tokio::time::timeout(self.timeout, next).await else {
                return Err(TransportError::late("no data for", self.timeout));
            };
            let frame = frame.transpose().map_err(|error| failure::of(&error))?;
            // Trailers are ignored.
            let data = frame.map(|frame| frame.into_data().unwrap_or_default());
            self.frames += 1;
            self.bytes += data.as_ref().map_or(0, |data| data.len() as u64);
            if self.frames > FRAMES + self.bytes / BYTES_PER_FRAME {
                return Err(TransportError::new(Failure::Protocol, "the body has too many small frames"));
            }
            match data {
                Some(_) => self.release_at_end(),
                None => self.release(),
            }
            if data.as_ref().is_some_and(|data| !data.is_empty()) {
                return Ok(data);
            }
        }
        Ok(None)
    }

    /// Returns the next decoded bytes, or `None` at the end.
    async fn piece(&mut self) -> Result<Option<Bytes>, TransportError> {
        loop {
            match &mut self.coding {
                BodyCoding::Plain => return self.frame().await,
                BodyCoding::Unreadable(error) => return Err(error.clone().into()),
                BodyCoding::In { decoding, decoded, buffer } => {
                    buffer.resize(MAX_CHUNK, 0);
                    match decoding.pull(buffer)? {
                        Pulled::Bytes(bytes) => {
                            *decoded += bytes as u64;
                            return Ok(buffer.get(..bytes).map(Bytes::copy_from_slice));
                        }
                        Pulled::End => {
                            self.release();
                            return Ok(None);
                        }
                        Pulled::Starved if self.bytes > OVERHEAD + 2 * *decoded => {
                            return Err(CodingError::Broken("the body decodes to almost nothing").into());
                        }
                        Pulled::Starved => {}
                    }
                }
            }
            let frame = self.frame().await?;
            if let BodyCoding::In { decoding, .. } = &mut self.coding {
                match frame {
                    Some(bytes) => decoding.feed(bytes),
                    None => decoding.end(),
                }
            }
        }
    }
}

impl From<CodingError> for TransportError {
    fn from(error: CodingError) -> Self {
        let failure = match error {
            CodingError::NotCoded(_) | CodingError::Broken(_) => Failure::Protocol,
            CodingError::Unsupported(_) | CodingError::TooMany | CodingError::TooLarge => {
                Failure::UnsupportedCoding
            }
        };
        TransportError::new(failure, error.to_string())
    }
}

impl Body for HttpBody {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        Box::pin(async move { self.piece().await.transpose() })
    }
}

/// Returns the connection to the pool. The pool reuses it if it can skip the unread rest of the answer.
impl Drop for HttpBody {
    fn drop(&mut self) {
        self.release();
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody")
            .field("frames", &self.frames)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
