//! An assistant at the other end of two streams: the Model Context Protocol as programs speak it that start the server.

use std::io;

use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::alarm::Alarm;
use crate::context::Context;
use crate::door::Caller;
use crate::mcp::Mcp;
use crate::service::Service;

impl Service {
    /// Answers one assistant, which sends a message in each line, until it has no more or `stop` is over. Then the client is
    /// drained.
    ///
    /// # Errors
    ///
    /// If the first message is not one of the protocol.
    pub async fn serve_assistant<R, W>(
        self,
        read: R,
        write: W,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shared = self.shared.clone();
        let mcp = Mcp::new(Context::new(self.shared, Caller::Socket, Alarm::new()));
        let transport =
            AsyncRwTransport::new_server(read, write).with_max_line_length(shared.options.body_bytes);
        let serving = async {
            match serve_server(mcp, transport).await {
                Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
        };
        let ended = tokio::select! {
            ended = serving => ended,
            () = stop => Ok(()),
        };
        // What is under way for nobody any more is not waited for longer.
        let _ = tokio::time::timeout(shared.options.grace, shared.client.drain()).await;
        ended
    }
}
