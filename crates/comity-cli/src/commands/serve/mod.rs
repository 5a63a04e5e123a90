//! `comity serve`: reads arguments and settings, and runs the service until it is stopped.

#[cfg(unix)]
mod activation;
mod args;
#[cfg(unix)]
mod socket;
#[cfg(feature = "otel")]
mod traces;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use comity::robots::Agent;
use comity_client::Client;
use comity_serve::{Listener, RequestLog, Service, ServiceOptions};
use tokio::net::TcpListener;

pub(crate) use self::args::ServeArgs;
#[cfg(unix)]
use self::socket::SocketFile;
use crate::decisions::Notices;
use crate::decisions::notices::warn_of_flag;
use crate::exit::{Exit, Failure, reason};
use crate::output::Output;
use crate::render;
use crate::signals::{AFTER_GRACE, Hangups, Signals};
use crate::sites::{ClientFactory, Network};
use comity_answers::files;

/// Placeholder on systems without sockets in the file system.
#[cfg(not(unix))]
type SocketFile = std::convert::Infallible;

/// Serves until a signal arrives.
pub(crate) fn run(args: &ServeArgs, output: &mut Output) -> Result<Exit, Failure> {
    if args.token_file.is_none() && args.unix.is_none() {
        require_loopback(args.listen)?;
    }
    let network = Network::for_service(&args.network, args.identity.overrides(), output)?;
    #[cfg(feature = "otel")]
    let traces = traces::Traces::start(network.handle())?;
    let (client, options) = {
        let _entered = network.enter();
        client_and_options(args, network.factory(), output)?
    };
    warn_of_flag(&args.identity.overrides(), client.agent(), output);
    let gateway_agents: Vec<Agent> = args.gateway_agent.iter().map(Agent::unchecked_token).collect();
    Notices::new(&args.network.files).warn(&gateway_agents, None, output);
    network.warn_if_anonymous(output);
    let ended = network.wait(async {
        // Signals are received before the address is printed, so that a program that reads the address can end the
        // service gracefully, or make it reload its files.
        let (mut signals, watchdog) = Signals::new(args.grace.saturating_add(AFTER_GRACE))?;
        output.watchdog = Some(watchdog);
        let mut hangups = Hangups::new()?;
        let BoundListener { listener, address, file } = listen(args).await?;
        writeln!(output, "{address}")?;
        output.flush()?;
        let mut opening = args.open.then(|| browser(&address));
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let service = Service::new(client, options);
        // A separate task, because messages of this one may block.
        let mut serving = tokio::spawn(service.clone().serve(listener, async {
            let _ = stopped.await;
        }));
        loop {
            tokio::select! {
                ended = &mut serving => return cut_off(ended),
                () = signals.next() => break,
                () = hangups.next() => reload(&service, args, network.factory(), output),
                failed = browser_failure(&mut opening) => {
                    opening = None;
                    if let Some(reason) = failed {
                        output.warning(&format!("no browser could be opened ({reason}); the page is at {}", page(&address)));
                    }
                }
            }
        }
        // Removes the socket file: new callers cannot connect, and the next service can create its own file.
        drop(file);
        let _ = stop.send(());
        tokio::select! {
            ended = serving => cut_off(ended),
            () = signals.next() => Err(Failure::Interrupted),
        }
    });
    #[cfg(feature = "otel")]
    if let Some(traces) = traces {
        traces.finish(output);
    }
    network.finish();
    let cut_off = ended?;
    if cut_off > 0 {
        output.warning(&format!(
            "closed {} that did not end within the time of --grace",
            render::count(cut_off, "connection")
        ));
    }
    Ok(Exit::Success)
}

/// Returns the number of connections that were cut off when the service ended.
fn cut_off(ended: Result<usize, tokio::task::JoinError>) -> Result<usize, Failure> {
    ended.map_err(|error| Failure::new(format!("the service failed: {error}")))
}

/// Returns the client and the options of the service. The tokens are read from their file.
fn client_and_options(
    args: &ServeArgs,
    factory: &ClientFactory,
    output: &mut Output,
) -> Result<(Client, ServiceOptions), Failure> {
    // Callers choose URLs, and must not be able to scan ports with them.
    let client = factory.client_as(comity_client::ClientBuilder::on_web_ports)?;
    let gateway_clients = args.gateway_agent.iter().map(|token| factory.client_on_web_ports_for(token));
    let options = ServiceOptions::default()
        .tokens(tokens(args, output)?)
        .names(args.name.clone())
        .new_origins(args.new_origins)
        .open_slots(args.open_slots)
        .gateway(args.gateway)
        .gateway_clients(gateway_clients.collect::<Result<_, _>>()?)
        .mcp(args.mcp)
        .requests(args.requests)
        .answer_bytes(args.answer_memory.saturating_mul(1 << 20))
        .grace(args.grace)
        .log(args.log.then(|| Arc::new(log) as Arc<_>));
    let options = match client.fetch_options().max_wait {
        Some(max_wait) => options.max_wait(max_wait),
        None => options,
    };
    Ok((client, options))
}

/// Reads the settings, the tokens and the identity again. If one of them is invalid, the service keeps all earlier ones.
fn reload(service: &Service, args: &ServeArgs, factory: &ClientFactory, output: &mut Output) {
    let reloaded = factory
        .reload(&args.network, args.identity.overrides(), output)
        .and_then(|factory| client_and_options(args, &factory, output));
    match reloaded {
        Ok((client, options)) => {
            service.reload(client, options);
            output.note("reloaded settings, tokens and identity");
        }
        Err(failure) => output.warning(&format!("not reloaded: {failure}")),
    }
}

/// Refuses an address that other machines can reach.
fn require_loopback(address: SocketAddr) -> Result<(), Failure> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(Failure::new(format!("`{address}` is reachable from other machines, so a token is required"))
        .hint("write one token per line to a file, and name it with --token-file"))
}

/// Returns the tokens of the file, which has one per line. Empty lines, comments and a byte order mark are skipped.
fn tokens(args: &ServeArgs, output: &mut Output) -> Result<Vec<String>, Failure> {
    let Some(path) = &args.token_file else { return Ok(Vec::new()) };
    if let Some(warning) = files::warning_if_shared(path, "tokens") {
        output.warning(&warning);
    }
    let name = render::text(path.as_os_str().as_encoded_bytes());
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read `{name}`: {}", reason(&error))))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let tokens: Vec<String> = lines.map(str::to_owned).collect();
    const SHORTEST: usize = 16;
    if tokens.is_empty() {
        return Err(Failure::new(format!("`{name}` contains no token"))
            .hint("write one per line: `openssl rand -hex 32`"));
    }
    let is_fit =
        |token: &String| token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    match tokens.iter().position(|token| !is_fit(token)) {
        Some(index) => Err(Failure::new(format!(
            "token {} of `{name}` is shorter than {SHORTEST} characters, or has bytes that a header field cannot contain, such as \
            white space",
            index + 1
        ))
        .hint("`openssl rand -hex 32` generates a token")),
        None => Ok(tokens),
    }
}

/// A listener, and its address.
struct BoundListener {
    listener: Listener,
    address: String,
    /// The socket file of the listener.
    file: Option<SocketFile>,
}

/// Returns the listener that another program passed, or opens the port or the socket that the arguments name.
async fn listen(args: &ServeArgs) -> Result<BoundListener, Failure> {
    #[cfg(unix)]
    if let Some(passed) = activation::listener(args)? {
        return Ok(passed);
    }
    if let Some(path) = &args.unix {
        return listen_on_socket(path).await;
    }
    let cannot = |error| Failure::new(format!("cannot listen on `{}`: {}", args.listen, reason(&error)));
    let listener = TcpListener::bind(args.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok(BoundListener { listener: Listener::Tcp(listener), address: format!("http://{address}"), file: None })
}

#[cfg(unix)]
async fn listen_on_socket(path: &std::path::Path) -> Result<BoundListener, Failure> {
    let (listener, file) = socket::listen(path).await?;
    Ok(BoundListener { listener: Listener::Unix(listener), address: unix_address(path), file: Some(file) })
}

#[cfg(unix)]
fn unix_address(path: &std::path::Path) -> String {
    format!("unix:{}", render::text(path.as_os_str().as_encoded_bytes()))
}

#[cfg(not(unix))]
async fn listen_on_socket(path: &std::path::Path) -> Result<BoundListener, Failure> {
    let name = render::text(path.as_os_str().as_encoded_bytes());
    Err(Failure::new(format!("`{name}`: this system has no sockets in the file system")))
}

/// Returns the address of the page for a browser on this machine.
fn page(address: &str) -> String {
    address.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]") + "/"
}

/// Opens the page in a browser on a separate thread. The receiver gets the reason if that fails. The thread is not
/// joined, because some browsers run until they are closed.
fn browser(address: &str) -> BrowserResult {
    let (sender, opening) = tokio::sync::oneshot::channel();
    let page = page(address);
    std::thread::spawn(move || {
        let _ = sender.send(open::that(page).err().map(|error| reason(&error)));
    });
    opening
}

type BrowserResult = tokio::sync::oneshot::Receiver<Option<String>>;

/// Waits until the browser was opened, and returns the reason if that failed. Never returns if `opening` is `None`.
async fn browser_failure(opening: &mut Option<BrowserResult>) -> Option<String> {
    match opening {
        Some(opening) => opening.await.ok().flatten(),
        None => std::future::pending().await,
    }
}

/// Prints a request as a line. The service calls this on a separate thread.
fn log(request: &RequestLog<'_>) {
    if let Ok(mut line) = serde_json::to_vec(request) {
        line.push(b'\n');
        let _ = std::io::stderr().write_all(&line);
    }
}
