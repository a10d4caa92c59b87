// SPDX-License-Identifier: MIT
//! Errors have the fields that the library has set.

mod support;

use std::error::Error as _;

use mcphost::{
    Config, Dialog, Enumerator, Error, ErrorCode, Feature, Host, Provider, ProviderCall,
    ServerState, Setting, Transform,
};
use support::{tool, Rig};

#[test]
fn an_error_of_json_rpc_has_its_code_and_data() {
    let rig = Rig::new();
    rig.provider
        .add(Feature::TOOL, &tool("refuse"), |call| {
            call.fail(-32000, "refused", Some("{\"why\":1}"))
        })
        .unwrap();
    let dialog = rig.dialog();
    rig.wait_tool("refuse");
    let error = dialog.call("refuse", None).unwrap().run().unwrap_err();
    assert_eq!(error.code(), ErrorCode::RPC);
    assert_eq!(error.rpc_code(), Some(-32000));
    assert_eq!(error.rpc_data(), Some("{\"why\":1}"));
    assert_eq!(error.server_id(), Some("app"));
    assert_eq!(error.source_id(), None);
    assert!(error.message().contains("refused"));
    assert!(error.to_json().unwrap().contains("\"rpc_code\":-32000"));
    assert!(format!("{error:?}").contains("rpc_data"));
    assert!(error.source().is_none());
    let copy = error.clone();
    drop(error);
    assert_eq!(copy.to_string(), copy.message());
}

#[test]
fn the_setup_of_a_provider_says_why_it_fails() {
    let host = Host::new().unwrap();
    let provider = Provider::new(&host.default_source(), "app").unwrap();
    let refuse = |_: &Provider| Err(Error::new(ErrorCode::CONFIG, "no key is set"));
    provider.set_life(refuse, |_| ()).unwrap();
    provider.start().unwrap();
    host.wait_ready(None).unwrap();
    let status = host.status().unwrap();
    let server = status.servers().next().unwrap();
    assert_eq!(server.state(), ServerState::UNAVAILABLE);
    let error = server.error().unwrap();
    assert!(error.message().contains("no key is set"), "{error:?}");
}

#[test]
fn an_error_of_arguments_has_a_message() {
    let rig = Rig::new();
    let error = rig.dialog().call("echo", Some("{\"a\":")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::INVALID);
    assert!(!error.message().is_empty());
}

#[test]
fn a_code_alone_is_an_error_with_a_message() {
    let error = Error::from_code(ErrorCode::NOTFOUND);
    assert_eq!(error.message(), ErrorCode::NOTFOUND.message());
    assert_eq!((error.line(), error.file(), error.errno()), (None, None, None));
    assert!(error.to_json().unwrap().contains("\"code\":-6"));
    let error: std::io::Error = error.into();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert_eq!(Error::new(ErrorCode(3), "wrong code").code(), ErrorCode::INVALID);
    assert_eq!(Error::new(ErrorCode::IO, "a\0b").message(), "a b");
}

#[test]
fn diagnostics_have_their_places() {
    let text = b"version: 1\nservers:\n  a: {transport: pigeon}\n";
    let config = Config::load_memory(Some(text), Some("mcp.yaml"), None).unwrap();
    let diagnostics: Vec<_> = config.diagnostics().collect();
    assert!(!diagnostics.is_empty());
    assert_eq!(diagnostics[0].line(), 3);
    assert_eq!(diagnostics[0].server_id(), Some("a"));
}

#[test]
fn a_wrong_option_value_is_refused_and_a_set_value_is_returned() {
    let error = Host::check_option(Setting::CALL_TIMEOUT, -5).unwrap_err();
    assert_eq!(error.code(), ErrorCode::INVALID);
    let host = Host::new().unwrap();
    host.set_option(Setting::CALL_TIMEOUT, 1234).unwrap();
    assert_eq!(host.option(Setting::CALL_TIMEOUT).unwrap(), 1234);
}

#[test]
fn each_error_code_is_found_by_its_name() {
    for code in ErrorCode::all() {
        assert_eq!(ErrorCode::find(code.name().unwrap()).unwrap(), code);
    }
    assert_eq!(ErrorCode::find("nothing").unwrap_err().code(), ErrorCode::NOTFOUND);
    assert_eq!(ErrorCode(12345).to_string(), "12345");
    assert_eq!(format!("{:?}", ErrorCode::RPC), "ErrorCode::RPC");
}

#[test]
fn long_names_are_transformed_whole() {
    let mut transform = Transform::new().unwrap();
    transform.add_prefix(&"p".repeat(500)).unwrap();
    assert_eq!(transform.apply("name").unwrap().len(), 504);
}

#[test]
fn the_message_of_a_builtin_that_fails_reaches_the_model() {
    let host = Host::new().unwrap();
    let view = host.default_view();
    view.add_builtin("own", "keyless", None, "{}", |_, _| {
        Err(Error::new(ErrorCode::CONFIG, "no API key is set"))
    })
    .unwrap();
    view.add_builtin("own", "code", None, "{}", |_, _| Err(Error::from_code(ErrorCode::DENIED)))
        .unwrap();
    let dialog = Dialog::new(&view, "me", None).unwrap();
    let result = dialog.call("keyless", None).unwrap().run().unwrap();
    assert_eq!(result.text(), "no API key is set");
    assert!(result.is_error());
    let error = dialog.call("code", None).unwrap().run().unwrap_err();
    assert_eq!(error.code(), ErrorCode::DENIED);
}

#[test]
fn the_message_of_a_provider_that_fails_reaches_the_caller() {
    let host = Host::new().unwrap();
    let provider = Provider::new(&host.default_source(), "app").unwrap();
    let refuse = |_: &ProviderCall| Err(Error::new(ErrorCode::IO, "no disk"));
    let tool = r#"{"name":"made","inputSchema":{"type":"object"}}"#;
    provider.add(Feature::TOOL, tool, refuse).unwrap();
    provider.add(Feature::PROMPT, r#"{"name":"made"}"#, refuse).unwrap();
    let tool = r#"{"name":"code","inputSchema":{"type":"object"}}"#;
    let deny = |_: &ProviderCall| Err(Error::from_code(ErrorCode::DENIED));
    provider.add(Feature::TOOL, tool, deny).unwrap();
    provider.start().unwrap();
    host.wait_ready(None).unwrap();
    let dialog = Dialog::new(&host.default_view(), "me", None).unwrap();
    let result = dialog.call("made", None).unwrap().run().unwrap();
    assert!(result.is_error());
    assert_eq!(result.text(), "no disk");
    let error = dialog.prompt("made", None).unwrap().run().unwrap_err();
    assert_eq!((error.code(), error.rpc_code()), (ErrorCode::RPC, Some(-32603)));
    assert!(error.message().contains("no disk"), "{error}");
    let error = dialog.call("code", None).unwrap().run().unwrap_err();
    assert_ne!(error.code(), ErrorCode::RPC);
}
