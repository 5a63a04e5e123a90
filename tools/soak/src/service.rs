//! The process of a service for crawlers in another language. It uses the client of `worker`.

use std::process::ExitCode;

use clap::Args;
use comity_serve::{Listener, Service, ServiceOptions};
use tokio::net::TcpListener;

use crate::worker;

/// The settings of a service.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServiceOrders {
    #[command(flatten)]
    client: worker::Orders,
    /// The port, or 0 for a free one. The service prints it on standard output.
    #[arg(long)]
    listen: u16,
}

/// Runs the service until it is killed, or until standard input ends.
pub(crate) fn run(orders: &ServiceOrders) -> ExitCode {
    worker::run_with(|clock| async { serve(orders, clock).await })
}

async fn serve(orders: &ServiceOrders, clock: worker::ShiftedClock) -> Result<(), String> {
    let client = worker::client(&orders.client, clock)?;
    // All crawlers have one address, so they count as one caller, and the limit of new origins is raised.
    let options = ServiceOptions::default().new_origins(1 << 20);
    let text = |error: std::io::Error| error.to_string();
    let listener = TcpListener::bind(("127.0.0.1", orders.listen)).await.map_err(text)?;
    println!("{}", listener.local_addr().map_err(text)?.port());
    Service::new(client, options).serve(Listener::Tcp(listener), std::future::pending()).await;
    Ok(())
}
