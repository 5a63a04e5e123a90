//! Commands that contact sites: tests run the program against servers on loopback.

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
#[cfg(feature = "jobs")]
mod watch;

use testkit::servers::{Origin, Reply};

use crate::{Run, comity};

/// Returns a run of `comity` that may connect to loopback, uses a store in memory and no settings file, and does not
/// wait.
fn live(args: &str) -> Run {
    comity(args)
        .args("--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0")
        .env("COMITY_CONTACT", "https://example.com/bot")
}

/// Starts a site with this robots.txt.
fn site(robots: &str) -> Origin {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok(robots));
    origin
}

/// Returns the output of a run, in which `PORT` replaces the port.
fn shown(run: Run, origin: &Origin) -> String {
    redacted(&run.shown(), origin)
}

fn redacted(text: &str, origin: &Origin) -> String {
    let text = text.replace(&origin.address().port().to_string(), "PORT");
    let flags = " --store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0";
    text.replace(flags, "")
}
