// SPDX-License-Identifier: MIT
//! A panic on the thread of the library goes on from the next function that drives its host.

mod support;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use support::Rig;

struct Bomb;

impl Bomb {
    fn touch(&self) {}
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in a drop");
    }
}

#[test]
fn a_panic_of_another_thread_is_not_lost() {
    let rig = Rig::new();
    rig.host.thread_start().unwrap();
    let dialog = rig.dialog();
    let (sender, ended) = std::sync::mpsc::channel();
    dialog
        .call("echo", None)
        .unwrap()
        .start_with(move |_| {
            sender.send(()).unwrap();
            panic!("on the library's thread")
        })
        .unwrap();
    ended.recv().unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| rig.host.thread_stop())).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"on the library's thread"));
    assert_eq!(dialog.call("echo", None).unwrap().run().unwrap().text(), "{}");

    let bomb = Bomb;
    rig.host.set_log(mcphost::LogLevel::ERROR, move |_| bomb.touch()).unwrap();
    rig.host.clear_log().unwrap();
    let wait = || rig.host.wait(Some(Duration::from_millis(0)));
    let payload = catch_unwind(AssertUnwindSafe(wait)).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"in a drop"));
}
