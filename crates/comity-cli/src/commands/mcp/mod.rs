//! `comity mcp`: reads settings and serves tools to an assistant over standard input and output.

mod args;

use comity_client::ClientBuilder;
use comity_serve::{Service, ServiceOptions};

pub(crate) use self::args::McpArgs;
use crate::decisions::notices::warn_of_flag;
use crate::exit::{Exit, Failure, reason};
use crate::output::Output;
use crate::signals::{AFTER_GRACE, Signals};
use crate::sites::Network;

/// Serves the assistant until it closes the input, or a signal arrives.
pub(crate) fn run(args: &McpArgs, output: &mut Output) -> Result<Exit, Failure> {
    let network = Network::for_service(&args.network, args.identity.overrides(), output)?;
    // A model chooses URLs, and must not be able to scan ports with them.
    let client = network.client_as(ClientBuilder::on_web_ports)?;
    let user_client =
        args.user_mode.map(|mode| network.client_as(|builder| builder.on_web_ports().mode(mode)));
    warn_of_flag(&args.identity.overrides(), client.agent(), output);
    network.warn_if_anonymous(output);
    let options = ServiceOptions::default().user_client(user_client.transpose()?);
    let grace = options.grace;
    let ended = network.wait(async {
        let (mut signals, watchdog) = Signals::new(grace.saturating_add(AFTER_GRACE))?;
        output.watchdog = Some(watchdog);
        let service = Service::new(client, options);
        let serving = service.serve_assistant(tokio::io::stdin(), tokio::io::stdout(), signals.next());
        serving.await.map_err(|error| {
            Failure::new(format!("cannot begin a session of the Model Context Protocol: {}", reason(&error)))
                .hint("an assistant has to start this command; docs/guide/mcp.md has configurations")
        })
    });
    network.finish();
    ended.map(|()| Exit::Success)
}
