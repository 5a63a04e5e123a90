//! Shared parts of commands on the network: settings, store, runtime, client.

use std::sync::Arc;

use comity_client::settings::Settings;
use comity_client::store::Store;
use comity_client::{Client, ClientBuildError, ClientBuilder, Remedy};
#[cfg(any(feature = "jobs", feature = "otel"))]
use tokio::runtime::Handle;
use tokio::runtime::{EnterGuard, Runtime};

use crate::args::{FilesArgs, NetworkArgs};
use crate::exit::Failure;
use crate::output::Output;
use crate::settings::{self, Override, store};
use comity_answers::files;

/// The environment of a command on the network.
#[derive(Debug)]
pub(crate) struct Network {
    runtime: Runtime,
    factory: ClientFactory,
}

/// The settings and the store, from which clients are built.
#[derive(Debug)]
pub(crate) struct ClientFactory {
    settings: Settings,
    store: Arc<dyn Store>,
}

impl Network {
    /// Reads the settings, starts a runtime and opens the store. `more` are the command's own flags.
    pub(crate) fn new(
        args: &NetworkArgs,
        more: Vec<Override>,
        output: &mut Output,
    ) -> Result<Network, Failure> {
        Network::of(&args.files, with(args, more), output)
    }

    /// Reads the settings, starts a runtime and opens the store. `overrides` are the values of all flags.
    pub(crate) fn of(
        files: &FilesArgs,
        overrides: Vec<Override>,
        output: &mut Output,
    ) -> Result<Network, Failure> {
        Network::within(runtime()?, files, overrides, output)
    }

    /// Reads the settings, opens the store, and starts a runtime with a thread per processor.
    pub(crate) fn for_service(
        args: &NetworkArgs,
        more: Vec<Override>,
        output: &mut Output,
    ) -> Result<Network, Failure> {
        let runtime = started(&mut tokio::runtime::Builder::new_multi_thread())?;
        Network::within(runtime, &args.files, with(args, more), output)
    }

    fn within(
        runtime: Runtime,
        files: &FilesArgs,
        overrides: Vec<Override>,
        output: &mut Output,
    ) -> Result<Network, Failure> {
        let settings = read_settings(files, overrides, output)?;
        let store = store::open(&settings.store, output)?;
        Ok(Network { runtime, factory: ClientFactory { settings, store } })
    }

    /// Returns the builder of clients. Use it within the runtime: in [`Network::wait`], or while the guard of
    /// [`Network::enter`] exists.
    pub(crate) fn factory(&self) -> &ClientFactory {
        &self.factory
    }

    /// Enters the runtime until the guard is dropped.
    pub(crate) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Runs a future to completion.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Returns a handle of the client's runtime.
    #[cfg(any(feature = "jobs", feature = "otel"))]
    pub(crate) fn handle(&self) -> Handle {
        self.runtime.handle().clone()
    }

    /// Shuts down without waiting for pending DNS queries.
    pub(crate) fn finish(self) {
        self.runtime.shutdown_background();
    }

    /// Builds a client for the crawler of the settings.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        self.client_as(|builder| builder)
    }

    /// Builds a client with additional settings.
    pub(crate) fn client_as(
        &self,
        more: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Client, Failure> {
        let _entered = self.enter();
        self.factory.client_as(more)
    }

    /// Warns if no contact is set: operators of sites then cannot reach the user.
    pub(crate) fn warn_if_anonymous(&self, output: &mut Output) {
        let agent = &self.factory.settings.agent;
        if agent.contact.is_none() && agent.user_agent.is_none() {
            let remedy = Remedy::new("agent.contact", None, "names a page or mail address");
            let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
            output.warning(&format!("operators of sites cannot contact you about these requests{remedy}"));
        }
    }
}

/// Clients are built within a runtime, because their resolver registers its sockets with it.
impl ClientFactory {
    /// Reads the settings again, with the values of the same flags, and keeps the store.
    pub(crate) fn reload(
        &self,
        args: &NetworkArgs,
        more: Vec<Override>,
        output: &mut Output,
    ) -> Result<ClientFactory, Failure> {
        let settings = read_settings(&args.files, with(args, more), output)?;
        if settings.store != self.settings.store {
            return Err(Failure::new("a change of the store requires a restart"));
        }
        Ok(ClientFactory { settings, store: Arc::clone(&self.store) })
    }

    /// Builds a client with additional settings.
    pub(crate) fn client_as(
        &self,
        more: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Client, Failure> {
        let builder = Client::with_settings(self.settings.clone()).shared_store(self.store.clone());
        more(builder).build().map_err(|error| failure(&error))
    }

    /// Builds a client for another crawler, limited to the ports of the web.
    pub(crate) fn client_on_web_ports_for(&self, token: &str) -> Result<Client, Failure> {
        let mut settings = self.settings.clone();
        settings.agent.token = token.to_owned();
        settings.agent.user_agent = None;
        let builder = Client::with_settings(settings).shared_store(self.store.clone()).on_web_ports();
        builder.build().map_err(|error| failure(&error))
    }
}

/// Reads the settings, and prints their warnings.
fn read_settings(
    files: &FilesArgs,
    overrides: Vec<Override>,
    output: &mut Output,
) -> Result<Settings, Failure> {
    let settings = settings::effective(files, overrides)?.settings;
    for message in settings::warnings(files) {
        output.warning(&message);
    }
    let keys = settings.identity.file.as_deref();
    if let Some(warning) = keys.and_then(|keys| files::warning_if_shared(keys, "private keys")) {
        output.warning(&warning);
    }
    Ok(settings)
}

/// Returns the values of the network flags and of the command's own flags.
fn with(args: &NetworkArgs, more: Vec<Override>) -> Vec<Override> {
    let mut overrides = args.overrides();
    overrides.extend(more);
    overrides
}

/// Starts a runtime with two threads, so that one can fetch while the other hashes or parses.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    started(tokio::runtime::Builder::new_multi_thread().worker_threads(2))
}

fn started(builder: &mut tokio::runtime::Builder) -> Result<Runtime, Failure> {
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start the runtime: {}", crate::exit::reason(&error))))
}

fn failure(error: &ClientBuildError) -> Failure {
    Failure::new(error.to_string())
}
