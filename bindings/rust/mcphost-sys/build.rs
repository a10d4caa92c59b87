// SPDX-License-Identifier: MIT
//! Finds libmcphost: in `MCPHOST_LIB_DIR`, or with pkg-config.

use std::env;
use std::process::Command;

/// The libraries that the static library needs, if it was built with all its parts.
const STATIC_NEEDS: [&str; 5] = ["jansson", "crypto", "pcre2-8", "curl", "yaml"];

fn pkg_config() -> Result<String, String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output = Command::new(&program)
        .args(["--libs", "libmcphost"])
        .output()
        .map_err(|e| format!("cannot run {program}: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn main() {
    for name in ["MCPHOST_LIB_DIR", "MCPHOST_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = env::var("MCPHOST_LIB_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
        if env::var_os("MCPHOST_STATIC").map_or(false, |v| v == "1") {
            println!("cargo:rustc-link-lib=static=mcphost");
            for name in STATIC_NEEDS {
                println!("cargo:rustc-link-lib={name}");
            }
        } else {
            println!("cargo:rustc-link-lib=mcphost");
        }
        return;
    }
    let flags = match pkg_config() {
        Ok(flags) => flags,
        Err(why) => {
            eprintln!("libmcphost was not found: {why}");
            eprintln!("Install libmcphost-dev, or set MCPHOST_LIB_DIR to its directory.");
            std::process::exit(1);
        }
    };
    for flag in flags.split_whitespace() {
        if let Some(dir) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={dir}");
        } else if let Some(name) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={name}");
        }
    }
}
