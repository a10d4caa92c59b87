// SPDX-License-Identifier: MIT
//! The lines of a scenario.

use std::path::Path;
use std::vec::IntoIter;

use crate::{stop, Stop};

pub struct Command {
    words: Vec<String>,
    /// The lines after `<<`.
    pub text: String,
}

impl Command {
    pub fn name(&self) -> &str {
        self.word(0)
    }

    /// Returns a word, or "" if the command has fewer words.
    pub fn word(&self, i: usize) -> &str {
        self.get(i).unwrap_or("")
    }

    pub fn get(&self, i: usize) -> Option<&str> {
        self.words.get(i).map(String::as_str)
    }

    pub fn rest(&self, from: usize) -> &[String] {
        self.words.get(from..).unwrap_or(&[])
    }

    /// Returns a word that is a number from 0 to 1,000,000.
    pub fn number(&self, i: usize) -> Result<u64, Stop> {
        match self.word(i).parse() {
            Ok(n) if n <= 1_000_000 => Ok(n),
            _ => stop(format!("not a number: {}", self.word(i))),
        }
    }
}

pub struct Script {
    lines: IntoIter<String>,
}

/// Cuts a line into words.
fn words_of(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches(' ');
    while !rest.is_empty() {
        let (start, end) = match rest.strip_prefix('\'') {
            Some(quoted) => (quoted, '\''),
            None => (rest, ' '),
        };
        let at = start.find(end).unwrap_or(start.len());
        words.push(start[..at].to_owned());
        rest = start.get(at + 1..).unwrap_or("").trim_start_matches(' ');
    }
    words
}

impl Script {
    pub fn open(path: &Path) -> std::io::Result<Script> {
        let text = std::fs::read_to_string(path)?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Ok(Script { lines: lines.into_iter() })
    }

    /// Returns the next command, with the two paths in place of `@DIR@` and `@SERVER@`.
    pub fn next(&mut self, dir: &str, server: &str) -> Option<Command> {
        let with_paths = |text: &str| text.replace("@DIR@", dir).replace("@SERVER@", server);
        let line = self.lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let mut words = words_of(&with_paths(&line));
        let mut text = String::new();
        if words.last().map_or(false, |word| word == "<<") {
            words.pop();
            for line in self.lines.by_ref().take_while(|line| line != ".") {
                text.push_str(&with_paths(&line));
                text.push('\n');
            }
        }
        Some(Command { words, text })
    }
}
