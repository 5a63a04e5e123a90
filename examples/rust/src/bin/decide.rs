//! Decides a list of URLs for several crawlers by one robots.txt, and prints the rule and the line of each decision.
//!
//! ```sh
//! cargo run -p comity-examples --bin decide -- robots.txt urls.txt GPTBot Bingbot
//! ```

use std::error::Error;
use std::fs;

use comity::{Agent, RobotsTxt};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robots, urls, agents @ ..] = arguments.as_slice() else {
        return Err("usage: decide ROBOTS URLS AGENT...".into());
    };
    let agents = agents.iter().map(Agent::token).collect::<Result<Vec<_>, _>>()?;
    let body = fs::read(robots)?;
    let rules = RobotsTxt::parse(&body).rules_for_each(&agents);

    for url in fs::read_to_string(urls)?.lines() {
        for (agent, rules) in agents.iter().zip(&rules) {
            match rules.decide(url) {
                Ok(decision) => match decision.rule() {
                    Some(rule) => {
                        println!("{url}\t{agent}\t{}\tline {}\t{rule}", decision.verdict(), rule.line())
                    }
                    None => println!("{url}\t{agent}\t{}", decision.verdict()),
                },
                Err(error) => println!("{url}\t{agent}\terror: {error}"),
            }
        }
    }
    Ok(())
}
