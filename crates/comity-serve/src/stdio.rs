//! The Model Context Protocol over an input and an output stream, for programs that start the server as a child
//! process.

use std::io;

use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::access_control::Caller;
use crate::context::Context;
use crate::deadline_timer::DeadlineTimer;
use crate::mcp::Mcp;
use crate::service::Service;

impl Service {
    /// Serves one assistant, which sends one message per line, until its input ends or `stop` completes. Then waits for
    /// the client's fetches to end, at most for the grace period.
    ///
    /// # Errors
    ///
    /// Returns an error if the session cannot be initialized, for example because the first message is a notification.
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
        let setup = shared.setup();
        let mcp = Mcp::new(Context::new(self.shared, setup, Caller::Socket, DeadlineTimer::new()));
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
        let _ = tokio::time::timeout(shared.options.grace, shared.setup().client.drain()).await;
        ended
    }
}
