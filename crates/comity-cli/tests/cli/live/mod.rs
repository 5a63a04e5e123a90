//! Commands that contact sites: real servers on loopback, the program as its users start it.

#[cfg(feature = "jobs")]
mod audit;
#[cfg(feature = "jobs")]
mod audit_site;
mod check;
mod explain;
mod files;
mod identity;
#[cfg(feature = "jobs")]
mod logs;
mod page;
mod probe;
mod sitemap;
mod usage;

use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

/// `comity` with these arguments, in memory, without settings of this machine, allowed to connect to loopback, with
/// short waits.
fn live(args: &str) -> Run {
    comity(args)
        .args("--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0")
        .env("COMITY_CONTACT", "https://example.com/bot")
}

/// A site with this robots.txt.
fn site(robots: &str) -> Origin {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok(robots));
    origin
}

/// Returns the output of a run without the port, which changes every time.
fn shown(run: Run, origin: &Origin) -> String {
    redacted(&run.shown(), origin)
}

fn redacted(text: &str, origin: &Origin) -> String {
    let text = text.replace(&origin.address().port().to_string(), "PORT");
    let flags = " --store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0";
    text.replace(flags, "")
}
