//! The providers: `src/llm/provider.rs` in `docs/models.md` and in `<threadkeep-model>`.

use crate::place::{markdown_region, typescript_file};
use threadkeep::llm::{
    endpoint::Endpoint,
    provider::{PROVIDERS, Provider},
};

/// A server on the user's own machine needs no key.
fn is_local(provider: &Provider) -> bool {
    provider.base_url.is_some_and(|url| url.starts_with("http://localhost"))
}

#[test]
fn the_documentation_has_every_provider() {
    let mut lines =
        vec!["| name begins with | server | header with the key |".to_owned(), "|---|---|---|".to_owned()];
    for provider in PROVIDERS {
        let mut names = format!("`{}/`", provider.name);
        if !provider.bare_names.is_empty() {
            let bare: Vec<_> = provider.bare_names.iter().map(|name| format!("`{name}`")).collect();
            names += &format!(", or no prefix and {}", bare.join(", "));
        }
        let server = provider.base_url.and_then(|url| url.split_once("://"));
        let server = server.map_or("your `baseUrl`".to_owned(), |(_, server)| format!("`{server}`"));
        let endpoint = Endpoint::resolve(&format!("{}/m", provider.name), Some("https://h/v1")).unwrap();
        let (header, _) = provider.api.key_header(&endpoint);
        let key = if is_local(provider) { "–".to_owned() } else { format!("`{header}`") };
        lines.push(format!("| {names} | {server} | {key} |"));
    }
    lines.push("| anything else | your `baseUrl` | `authorization` |".to_owned());
    markdown_region("docs/models.md", "src/llm/provider.rs", &lines);
}

#[test]
fn the_settings_of_a_model_have_the_servers_of_the_providers() {
    let mut text = String::from(
        "\n/** The public or local server of each provider that has one, by the prefix of its models. */\n",
    );
    text += "export const servers = {\n";
    for provider in PROVIDERS {
        if let Some(url) = provider.base_url {
            text += &format!("  {}: \"{url}\",\n", provider.name);
        }
    }
    text += "} as const;\n";
    typescript_file("js/ui/model/generated/servers.ts", "src/llm/provider.rs", &text);
}
