//! `comity serve`: arguments and settings in, a service that runs until it is told to stop.

mod args;
#[cfg(unix)]
mod socket;

use std::io::Write;
use std::sync::Arc;

use comity::robots::Agent;
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
use crate::signals::{AFTER_GRACE, Signals};
use crate::sites::Network;
use comity_answers::files;

/// The file of a socket, on systems that have none.
#[cfg(not(unix))]
type SocketFile = std::convert::Infallible;

/// Answers until a signal comes.
pub(crate) fn run(args: &ServeArgs, output: &mut Output) -> Result<Exit, Failure> {
    let tokens = tokens(args, output)?;
    if tokens.is_empty() && args.unix.is_none() && !args.listen.ip().is_loopback() {
        return Err(Failure::new(format!(
            "`{}` can be reached from other machines, and no token is required",
            args.listen
        ))
        .hint("--token-file names a file with a token in each line"));
    }
    let network = Network::for_service(&args.network, args.identity.overrides(), output)?;
    // Callers name URLs, and must not find open ports by that.
    let client = network.client_as(comity_client::ClientBuilder::on_web_ports)?;
    warn_of_flag(&args.identity.overrides(), client.agent(), output);
    let gateway_agents: Vec<Agent> = args.gateway_agent.iter().map(Agent::token).collect();
    Notices::new(&args.network.files).warn(&gateway_agents, None, output);
    network.warn_if_anonymous(output);
    let gateway_clients = args.gateway_agent.iter().map(|token| network.client_on_web_ports_for(token));
    let options = ServiceOptions {
        tokens,
        names: args.name.clone(),
        new_origins: args.new_origins,
        open_slots: args.open_slots,
        gateway: args.gateway,
        gateway_clients: gateway_clients.collect::<Result<_, _>>()?,
        mcp: args.mcp,
        requests: args.requests,
        answer_bytes: args.answer_memory.saturating_mul(1 << 20),
        grace: args.grace,
        log: args.log.then(|| Arc::new(log) as Arc<_>),
        ..ServiceOptions::default()
    };
    let options = match client.fetch_options().max_wait {
        Some(max_wait) => ServiceOptions { max_wait, ..options },
        None => options,
    };
    let grace = options.grace;
    let ended = network.wait(async {
        // From when the address is told, a signal ends the service in good order.
        let (mut signals, watchdog) = Signals::new(grace.saturating_add(AFTER_GRACE))?;
        output.watchdog = Some(watchdog);
        let Listening { listener, address, file } = listen(args).await?;
        writeln!(output, "{address}")?;
        output.flush()?;
        let mut opening = args.open.then(|| browser(&address));
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let serving = Service::new(client, options).serve(listener, async {
            let _ = stopped.await;
        });
        let mut serving = std::pin::pin!(serving);
        loop {
            tokio::select! {
                cut_off = serving.as_mut() => return Ok(cut_off),
                () = signals.next() => break,
                failed = told(&mut opening) => {
                    opening = None;
                    if let Some(reason) = failed {
                        output.warning(&format!("no browser could be opened ({reason}); the page is at {}", page(&address)));
                    }
                }
            }
        }
        // Whoever comes from now on finds no socket, and the next service may make its own.
        drop(file);
        let _ = stop.send(());
        tokio::select! {
            cut_off = serving => Ok(cut_off),
            () = signals.next() => Err(Failure::Interrupted),
        }
    });
    network.finish();
    let cut_off = ended?;
    if cut_off > 0 {
        output.warning(&format!(
            "{} did not end in time, and was cut off",
            render::count(cut_off, "connection")
        ));
    }
    Ok(Exit::Success)
}

/// Returns the tokens of the file, one of each line. Empty lines, comments and a byte order mark are skipped.
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
        return Err(Failure::new(format!("`{name}` holds no token"))
            .hint("write one in each line: `openssl rand -hex 32`"));
    }
    let is_fit =
        |token: &String| token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    match tokens.iter().position(|token| !is_fit(token)) {
        Some(index) => Err(Failure::new(format!(
            "token {} of `{name}` is shorter than {SHORTEST} characters, or holds white space or other bytes that no header \
             field can carry",
            index + 1
        ))
        .hint("`openssl rand -hex 32` makes one that nobody guesses")),
        None => Ok(tokens),
    }
}

/// A listener, and how it is reached.
struct Listening {
    listener: Listener,
    address: String,
    /// The file that goes with the listener.
    file: Option<SocketFile>,
}

/// Opens the port or the socket that the arguments name.
async fn listen(args: &ServeArgs) -> Result<Listening, Failure> {
    if let Some(path) = &args.unix {
        return listen_on_socket(path).await;
    }
    let cannot = |error| Failure::new(format!("cannot listen on `{}`: {}", args.listen, reason(&error)));
    let listener = TcpListener::bind(args.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok(Listening { listener: Listener::Tcp(listener), address: format!("http://{address}"), file: None })
}

#[cfg(unix)]
async fn listen_on_socket(path: &std::path::Path) -> Result<Listening, Failure> {
    let (listener, file) = socket::listen(path).await?;
    let address = format!("unix:{}", render::text(path.as_os_str().as_encoded_bytes()));
    Ok(Listening { listener: Listener::Unix(listener), address, file: Some(file) })
}

#[cfg(not(unix))]
async fn listen_on_socket(path: &std::path::Path) -> Result<Listening, Failure> {
    let name = render::text(path.as_os_str().as_encoded_bytes());
    Err(Failure::new(format!("`{name}`: this system has no sockets in the file system")))
}

/// Returns where a browser of this machine finds the page.
fn page(address: &str) -> String {
    address.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]") + "/"
}

/// Opens the page in a browser. What is said in the end is why that was not possible, if so. Nobody waits for the thread: some
/// browsers go on until they are closed.
fn browser(address: &str) -> Opening {
    let (said, opening) = tokio::sync::oneshot::channel();
    let page = page(address);
    std::thread::spawn(move || {
        let _ = said.send(open::that(page).err().map(|error| reason(&error)));
    });
    opening
}

type Opening = tokio::sync::oneshot::Receiver<Option<String>>;

/// Waits until it is known whether a browser was opened, for ever if there is nothing to wait for.
async fn told(opening: &mut Option<Opening>) -> Option<String> {
    match opening {
        Some(opening) => opening.await.ok().flatten(),
        None => std::future::pending().await,
    }
}

/// Prints a request as a line. The service calls this on a thread of its own.
fn log(request: &RequestLog<'_>) {
    if let Ok(mut line) = serde_json::to_vec(request) {
        line.push(b'\n');
        let _ = std::io::stderr().write_all(&line);
    }
}
