//! Processes of other programs. Instead of a server, the tests start `sleep` or a shell, and an origin accepts the
//! connections.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::servers::{Origin, ServerProcess, free_port};

fn unused() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

#[test]
fn free_port_can_be_bound() {
    let port = free_port();
    assert_eq!(Origin::start_at(SocketAddr::from(([127, 0, 0, 1], port))).address().port(), port);
}

#[test]
fn program_runs_until_it_is_killed() {
    let origin = Origin::start();
    let running =
        ServerProcess::start(Command::new("sleep").arg("600"), origin.address(), Duration::from_secs(10));
    let running = running.expect("a listener");
    let process = format!("/proc/{}", running.id());
    assert!(Path::new(&process).exists());
    running.kill();
    assert!(!Path::new(&process).exists());
}

#[test]
fn program_that_ends_early_or_never_listens_is_an_error() {
    let patience = Duration::from_secs(3600);
    let early = ServerProcess::start(Command::new("sh").args(["-c", "exit 7"]), unused(), patience);
    let error = early.expect_err("it ended").to_string();
    assert!(error.contains("ended early: exit status: 7"), "{error}");

    let address = unused();
    let deaf = ServerProcess::start(Command::new("sleep").arg("600"), address, Duration::from_millis(50));
    assert_eq!(deaf.expect_err("no listener").kind(), std::io::ErrorKind::TimedOut);
    TcpStream::connect(address).expect_err("no listener");
}
