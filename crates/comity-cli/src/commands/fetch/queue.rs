//! Which URL is next: origins take turns, and none has more under way than its pace allows.
//!
//! Without this, eight URLs of one slow site at the head of a list would keep every other site waiting.

use std::collections::{HashMap, VecDeque};

/// URLs that wait for their turn.
#[derive(Debug)]
pub(super) struct Queue {
    per_origin: usize,
    lanes: HashMap<String, Lane>,
    /// The origins that have a URL waiting and room for it, in the order of their turns.
    ready: VecDeque<String>,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Lane {
    urls: VecDeque<String>,
    under_way: usize,
    is_ready: bool,
}

impl Queue {
    /// A queue that lets `per_origin` URLs of an origin go at once.
    pub(super) fn new(per_origin: usize) -> Self {
        Queue { per_origin: per_origin.max(1), lanes: HashMap::new(), ready: VecDeque::new(), waiting: 0 }
    }

    /// How many URLs wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// At the end of its origin's line.
    pub(super) fn push(&mut self, url: String) {
        let origin = origin_of(&url);
        self.waiting += 1;
        self.lanes.entry(origin.clone()).or_default().urls.push_back(url);
        self.make_ready(origin);
    }

    /// The next URL, with the origin that is to be [given back](Queue::done); `None` if all that wait have to wait on.
    pub(super) fn pop(&mut self) -> Option<(String, String)> {
        let origin = self.ready.pop_front()?;
        let lane = self.lanes.get_mut(&origin)?;
        lane.is_ready = false;
        let url = lane.urls.pop_front()?;
        lane.under_way += 1;
        self.waiting -= 1;
        self.make_ready(origin.clone());
        Some((origin, url))
    }

    /// A URL of this origin is done with.
    pub(super) fn done(&mut self, origin: String) {
        if let Some(lane) = self.lanes.get_mut(&origin) {
            lane.under_way = lane.under_way.saturating_sub(1);
            if lane.urls.is_empty() && lane.under_way == 0 {
                self.lanes.remove(&origin);
            } else {
                self.make_ready(origin);
            }
        }
    }

    fn make_ready(&mut self, origin: String) {
        let Some(lane) = self.lanes.get_mut(&origin) else { return };
        if !lane.is_ready && !lane.urls.is_empty() && lane.under_way < self.per_origin {
            lane.is_ready = true;
            self.ready.push_back(origin);
        }
    }
}

/// What is no URL has a lane of its own; it is refused at once.
fn origin_of(url: &str) -> String {
    url.parse::<url::Url>().map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_take_turns_and_wait_for_themselves_only() {
        let mut queue = Queue::new(1);
        for url in
            ["https://a.example/1", "https://A.example:443/2", "https://b.example/1", "https://a.example/3"]
        {
            queue.push(url.to_owned());
        }
        let (a, url) = queue.pop().unwrap();
        assert_eq!(url, "https://a.example/1");
        let (b, url) = queue.pop().unwrap();
        assert_eq!(url, "https://b.example/1");
        assert_eq!((queue.pop(), queue.waiting()), (None, 2));
        queue.done(b);
        assert_eq!(queue.pop(), None);
        queue.done(a);
        let (a, url) = queue.pop().unwrap();
        assert_eq!((url.as_str(), queue.pop()), ("https://A.example:443/2", None));
        queue.done(a);
        assert_eq!(queue.pop().unwrap().1, "https://a.example/3");
    }

    #[test]
    fn an_origin_may_have_more_under_way() {
        let mut queue = Queue::new(2);
        (1..=3).for_each(|number| queue.push(format!("https://a.example/{number}")));
        let (a, _) = queue.pop().unwrap();
        assert!(queue.pop().is_some() && queue.pop().is_none());
        queue.done(a);
        assert!(queue.pop().is_some() && queue.pop().is_none());
    }
}
