// SPDX-License-Identifier: MIT
//! The host with a provider that the tests use, and values that count their drops.
#![allow(dead_code)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcphost::{Dialog, Feature, Host, Provider, ProviderCall};

/// Counts how many of its tokens live.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicUsize>);

/// A value that a closure captures.
pub struct Token(Arc<AtomicUsize>);

impl Counter {
    pub fn token(&self) -> Token {
        self.0.fetch_add(1, Ordering::SeqCst);
        Token(self.0.clone())
    }

    pub fn living(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Token {
    pub fn touch(&self) {}
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A host whose provider has the tools `echo`, and `keep`, which keeps its calls open.
pub struct Rig {
    pub host: Host,
    pub provider: Provider,
    pub kept: Arc<Mutex<Vec<ProviderCall>>>,
    pub counter: Counter,
}

pub fn tool(name: &str) -> String {
    format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}")
}

impl Drop for Rig {
    fn drop(&mut self) {
        // Empty the list.  The list holds the calls, the calls hold a function, and the
        // function holds the list.  Without this step the calls would never be freed.
        let kept = std::mem::take(&mut *self.kept.lock().unwrap());
        drop(kept);
    }
}

impl Rig {
    pub fn new() -> Rig {
        let host = Host::new().unwrap();
        let provider = Provider::new(&host.default_source(), "app").unwrap();
        let counter = Counter::default();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let token = counter.token();
        provider
            .add(Feature::TOOL, &tool("echo"), move |call| {
                token.touch();
                call.answer_text(call.arguments(), false)
            })
            .unwrap();
        let (token, keeper) = (counter.token(), kept.clone());
        provider
            .add(Feature::TOOL, &tool("keep"), move |call| {
                token.touch();
                keeper.lock().unwrap().push(call.clone());
                Ok(())
            })
            .unwrap();
        provider.start().unwrap();
        assert!(host.wait_ready(None).unwrap());
        Rig { host, provider, kept, counter }
    }

    pub fn dialog(&self) -> Dialog {
        Dialog::new(&self.host.default_view(), "me", None).unwrap()
    }

    /// Dispatches until `is_over` returns true.
    pub fn wait_until(&self, is_over: impl Fn() -> bool) {
        while !is_over() {
            self.host.wait(Some(Duration::from_millis(20))).unwrap();
        }
    }

    /// Dispatches until `n` calls are kept.
    pub fn wait_kept(&self, n: usize) {
        self.wait_until(|| self.kept.lock().unwrap().len() >= n);
    }

    /// Dispatches until the default view has a tool.
    pub fn wait_tool(&self, name: &str) {
        let view = self.host.default_view();
        self.wait_until(|| view.catalog().unwrap().find_tool(name).is_some());
    }
}
