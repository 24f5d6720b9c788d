//! Conversations as Markdown and as a page of HTML: what they show, and texts that try to be more than text.

use super::{
    interchange::{call, import_text},
    *,
};
use crate::{
    archive::{
        history::Part,
        interchange::{Form, final_response_of_events, messages_of_events, written},
    },
    error::ErrorCode,
    id::EventId,
};
use serde_json::{Value, json};

/// The texts of both forms of these messages, without what is before the first message.
fn forms(messages: &Value) -> (String, String) {
    let store = MemoryStore::new();
    let imported = import_text(&messages.to_string(), &store).unwrap();
    let form = |form| {
        block_on(written(&store, imported.conversation, form, &Part::default(), &str::to_owned)).unwrap()
    };
    (form(Form::Markdown), form(Form::Html))
}

fn markdown_of(text: &str) -> String {
    let (markdown, _) = forms(&json!([
        {"role": "user", "content": "Q", "timestamp": "2026-01-31T09:15:02"},
        {"role": "assistant", "content": text, "timestamp": "2026-01-31T09:15:02"},
    ]));
    let (_, answer) = markdown.split_once("## Agent · 2026-01-31 09:15\n\n").unwrap();
    answer.trim_end_matches('\n').to_owned()
}

fn conversation() -> Value {
    json!([
        {"role": "user", "content": [
            {"type": "text", "text": "Look & *see*"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        ]},
        {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.",
         "tool_calls": [call("c1", "grep", r#"{"pattern":"a\nb","count":2}"#), call("c2", "ls", "{}")]},
        {"role": "tool", "tool_call_id": "c1", "content": "three ``` ticks"},
        {"role": "assistant", "content": "Done:\n\n```js\nif (a < b) run();\n```\n\n* one"},
    ])
}

#[test]
fn messages_reasoning_calls_and_results_are_shown_in_both_forms() {
    let (markdown, html) = forms(&conversation());
    let body = markdown.split_once("## User").unwrap().1.split_once("\n\n").unwrap().1;
    let expected = "Look & *see*\n\n![Image](data:image/png;base64,iVBORw0KGgo=)\n\n\
        *Image: https://example.org/a.png*\n\n> **Thoughts**\n>\n> Hm.\n\n";
    assert!(body.starts_with(expected), "{body}");
    assert!(
        body.contains(
            "**grep**\n\n```\npattern:\na\nb\ncount: 2\n```\n\nResult:\n\n````\nthree ``` ticks\n````\n"
        ),
        "{body}"
    );
    assert!(body.contains("**ls**\n\n*No result.*\n") || body.contains("**ls**\n\nFailed:\n"), "{body}");
    assert!(body.ends_with("Done:\n\n```js\nif (a < b) run();\n```\n\n* one\n"), "{body}");

    assert!(html.contains("<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"Image\">"));
    assert!(html.contains("Image: https://example.org/a.png"));
    assert!(html.contains("<summary>Thoughts</summary>\n<div class=\"text\" dir=\"auto\">Hm.</div>"));
    assert!(html.contains("<summary><code>grep</code></summary>"));
    assert!(html.contains("<h3><code>pattern</code></h3>\n<pre>a\nb</pre>"));
    assert!(html.contains("<h3>Result</h3>\n<pre>three ``` ticks</pre>"));
    assert!(html.contains("<pre>if (a &lt; b) run();</pre>"));
    assert_eq!(html.matches("<details").count(), html.matches("</details>").count());
}

#[test]
fn reasoning_of_every_api_is_shown() {
    let summary = json!({"summary": ["Adding both."], "encrypted_content": "gAAA"});
    let open = json!({"summary": [], "content": ["Adding both."]});
    let signed = json!([{"type": "thinking", "thinking": "Adding both.", "signature": "s"}]);
    for (name, thoughts) in [
        ("reasoning_content", json!("Adding both.")),
        ("responses_reasoning_item", summary),
        ("responses_reasoning_item", open),
        ("thinking_blocks", signed),
    ] {
        let (markdown, html) = forms(&json!([
            {"role": "user", "content": "Q"},
            {"role": "assistant", "content": "5", name: thoughts},
        ]));
        assert!(markdown.contains("> **Thoughts**\n>\n> Adding both.\n"), "{name} {markdown}");
        assert!(html.contains("<div class=\"text\" dir=\"auto\">Adding both.</div>"), "{name} {html}");
    }
}

/// Elements that a page may have; whatever else begins with `<` was written by somebody else.
const ELEMENTS: [&str; 26] = [
    "!doctype", "html", "head", "meta", "title", "style", "body", "header", "main", "h1", "h2", "h3", "p",
    "article", "details", "summary", "pre", "code", "div", "span", "time", "bdi", "b", "img", "/", "a",
];

#[test]
fn no_text_becomes_an_element_of_the_page() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "</pre></details></style><style>*{display:none}</style>",
        "<!-- <![CDATA[ <?xml",
        "```html\n</pre><iframe src=javascript:alert(1)>\n",
        "a\u{202e}b\u{2066}c\0d\u{e0041}e",
        "[x](javascript:alert(1)) ![y](https://example.org/pixel)",
    ];
    for text in hostile {
        let arguments = json!({ "command": text, text: 1 }).to_string();
        let (_, html) = forms(&json!([
            {"role": "system", "content": text},
            {"role": "user", "content": [
                {"type": "text", "text": text},
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,AAAA{text}")}},
                {"type": "image_url", "image_url": {"url": "data:image/svg+xml;base64,AAAA"}},
                {"type": "image_url", "image_url": {"url": format!("https://example.org/{text}")}},
            ]},
            {"role": "assistant", "content": text, "reasoning_content": text, "tool_calls": [call("c", "run", &arguments)]},
            {"role": "tool", "tool_call_id": "c", "content": text},
        ]));
        let body = html.split_once("</style>").unwrap().1;
        for piece in body.split('<').skip(1) {
            let name: &str = piece.split([' ', '>', '\n']).next().unwrap();
            let name = if name.starts_with('/') { "/" } else { name };
            assert!(ELEMENTS.contains(&name) && !matches!(name, "style" | "a"), "<{piece} of {text}");
            if name == "img" {
                panic!("a picture whose data is not base64: <{piece}");
            }
            let tag = piece.split_once('>').unwrap().0;
            assert!(
                !tag.contains("onerror") && !tag.contains("onload") && !tag.contains("onmouseover"),
                "<{tag}"
            );
        }
        assert!(!html.contains(['\u{202e}', '\u{2066}', '\0', '\u{e0041}']), "{text}");
        if text.contains('\u{202e}') {
            assert!(html.contains("a<span class=\"hidden\">U+202E</span>b"));
        }
    }
}

#[test]
fn the_page_names_its_style_by_its_hash_and_nothing_else_may_be_in_it() {
    let (_, html) = forms(&json!([{"role": "user", "content": "Q"}]));
    let policy = "content=\"default-src 'none'; img-src data:; style-src 'sha256-";
    assert_eq!(html.matches("Content-Security-Policy").count(), 1);
    assert!(html.contains(policy));
    assert!(html.contains("base-uri 'none'; form-action 'none'\">"));
    assert_eq!(html.matches("<style>").count(), 1);
    assert!(!html.contains("style="));
    assert!(!html.contains("http-equiv=\"refresh"));
}

#[test]
fn markdown_keeps_its_signs_and_loses_what_a_program_could_act_on() {
    for (text, shown) in [
        ("**a** `b` [c](https://d.org) # e", "**a** `b` [c](https://d.org) # e"),
        ("a < b && c > d", "a < b && c > d"),
        ("`Vec<T>` and ``a ` <b>``", "`Vec<T>` and ``a ` <b>``"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("<!-- a --> <?b?>", "&lt;!-- a --> &lt;?b?>"),
        ("![a](https://b.org/c.png)", "&#33;[a](https://b.org/c.png)"),
        ("\\![a](https://b.org)", "\\![a](https://b.org)"),
        ("\\\\![a](https://b.org)", "\\\\&#33;[a](https://b.org)"),
        ("[a](javascript:alert(1))", "[a]&#40;javascript:alert(1))"),
        ("[a]( JavaScript:alert(1))", "[a]&#40; JavaScript:alert(1))"),
        ("[a](<javascript:alert(1)>)", "[a]&#40;&lt;javascript:alert(1)>)"),
        ("[a](java&#115;cript:alert(1))", "[a]&#40;java&#115;cript:alert(1))"),
        ("[a](\njavascript:alert(1))", "[a]&#40;\njavascript:alert(1))"),
        ("[a]: javascript:alert(1)", "[a]&#58; javascript:alert(1)"),
        ("[a]: #b\n[c](d.md)", "[a]: #b\n[c](d.md)"),
        ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
        ("a\u{202e}b", "a⟨U+202E⟩b"),
        // Code that goes on in the next line, so that what looks like code there is none.
        ("`a\nb` <i> `", "`a\nb` &lt;i> `"),
        ("`a\n\u{a0}\nb` <i> `", "`a\n\u{a0}\nb` &lt;i> `"),
        ("\\`<i>`", "\\`&lt;i>`"),
        ("| ` | <i>` |", "| ` | &lt;i>` |"),
        ("a ` b\n\n`<i>`", "a ` b\n\n`<i>`"),
        ("`a\n\\![b](https://c.org)", "`a\n\\&#33;[b](https://c.org)"),
        // Blocks of code.
        ("```\n<b>\n```", "```\n<b>\n```"),
        ("```\n<b>", "```\n<b>\n```"),
        ("~~~ py x\n```\n<b>\n~~~\n<i>", "````py\n```\n<b>\n````\n&lt;i>"),
        ("  ````md\n```js\na\n```\n  ````\n<i>", "````md\n```js\na\n```\n````\n&lt;i>"),
        ("```\na\r```\r<b>", "```\na\n```\n&lt;b>"),
        ("``` a`b\n<i>", "``` a`b\n&lt;i>"),
        ("    ```\n<i>", "    ```\n&lt;i>"),
    ] {
        assert_eq!(markdown_of(text), shown, "{text}");
    }
}

#[test]
fn results_cannot_leave_their_fences_and_names_cannot_be_markdown() {
    let (markdown, _) = forms(&json!([
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": "", "tool_calls": [call("c", "run", r##"{"summary":"# a\n<b> ![c](d)","x":"`````"}"##)]},
        {"role": "tool", "tool_call_id": "c", "content": "````\n<script>"},
    ]));
    assert!(markdown.contains("**run** · \\# a \\<b\\> \\!\\[c\\](d)\n"), "{markdown}");
    assert!(markdown.contains("\n``````\nx: `````\n``````\n"), "{markdown}");
    assert!(markdown.contains("\n`````\n````\n<script>\n`````\n"), "{markdown}");
}

#[test]
fn sources_are_links_and_what_a_server_did_is_named() {
    let kept = json!({
        "sources": [
            {"url": "https://a.example/?a=1&b=\"2\"", "title": "A <b>[x](y)"},
            {"url": "https://b.example/<i>"},
            {"url": "javascript:alert(1)", "title": "No"},
            {"url": "https://c.example/\u{202e}x"},
        ],
        "work": [{"name": "web_search", "detail": "*Rust* <b>"}],
    });
    let (markdown, html) = forms(&json!([
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": "It is [1].", "responses_reasoning_item": {"summary": [], "encrypted_content": kept.to_string()}},
    ]));
    assert!(markdown.contains("*The server has used web\\_search: \\*Rust\\* \\<b\\>*\n"), "{markdown}");
    let listed = "Sources:\n\n1. A \\<b\\>\\[x\\](y): <https://a.example/?a=1&b=\"2\">\n2. https://b.example/\\<i\\>\n\
                  3. https://c.example/⟨U+202E⟩x\n";
    assert!(markdown.contains(listed), "{markdown}");
    assert!(html.contains("The server has used web_search: *Rust* &lt;b&gt;"), "{html}");
    assert!(html.contains("<li dir=\"auto\">A &lt;b&gt;[x](y)<br><a href=\"https://a.example/?a=1&amp;b=&quot;2&quot;\" rel="), "{html}");
    assert!(html.contains("href=\"https://b.example/&lt;i&gt;\""), "{html}");
    assert!(!html.contains("javascript") && !markdown.contains("javascript"), "{html}");
}

#[test]
fn a_part_is_another_branch_or_begins_later() {
    let store = MemoryStore::new();
    let messages = json!([
        {"role": "user", "content": "first"}, {"role": "assistant", "content": "second"},
        {"role": "user", "content": "third"},
    ]);
    let id = import_text(&messages.to_string(), &store).unwrap().conversation;
    let events = block_on(store.events(id, 0..9)).unwrap();
    let place = |text: &str| events.iter().find(|event| event.json.contains(text)).unwrap().id.clone();
    let shown = |leaf: Option<EventId>, since: Option<EventId>| {
        let text = block_on(written(&store, id, Form::Markdown, &Part { leaf, since }, &str::to_owned))?;
        Ok::<_, Error>(text.split_once("\n## ").unwrap().1.to_owned())
    };
    let body = shown(Some(place("second")), None).unwrap();
    assert!(body.contains("first") && body.contains("second") && !body.contains("third"), "{body}");
    let body = shown(None, Some(place("second"))).unwrap();
    assert!(!body.contains("first") && body.contains("second") && body.contains("third"), "{body}");
    let unknown: EventId = "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
    for (leaf, since) in [
        (Some(unknown.clone()), None),
        (None, Some(unknown)),
        // An event of another branch.
        (Some(place("second")), Some(place("third"))),
    ] {
        assert_eq!(shown(leaf, since).unwrap_err().code(), ErrorCode::NotFound);
    }
}

#[test]
fn messages_and_the_last_response_are_those_of_any_list_of_events() {
    let store = MemoryStore::new();
    let id = import_text(&conversation().to_string(), &store).unwrap().conversation;
    let events = block_on(store.events(id, 0..99)).unwrap();
    let texts: Vec<String> = events.iter().map(|event| event.json.to_string()).collect();
    let of_store = block_on(written(&store, id, Form::Message, &Part::default(), &str::to_owned)).unwrap();
    assert_eq!(messages_of_events(&texts).unwrap(), of_store);
    let done = "Done:\n\n```js\nif (a < b) run();\n```\n\n* one";
    assert_eq!(final_response_of_events(&texts).unwrap().as_deref(), Some(done));
    assert_eq!(final_response_of_events(&texts[..1]).unwrap(), None);
    assert_eq!(messages_of_events(&[]).unwrap(), "[]");
    let unknown = r#"{"kind":"LaterEvent","id":"0f8fad5b-d9cb-469f-a165-70867728950e"}"#.to_owned();
    assert_eq!(messages_of_events(&[unknown]).unwrap(), "[]");
    let error = messages_of_events(&[texts[0].clone(), "{}".into()]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidOptions);
    assert_eq!(error.message(), "events[1] is not an event: an object with an id and a kind");
}

#[test]
fn secrets_are_hidden_before_a_text_is_spelled_in_a_form() {
    let store = MemoryStore::new();
    let text = "it is a<b>c";
    let messages = json!([
        {"role": "user", "content": [
            {"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": "https://e.org/a<b>c"}},
        ]},
        {"role": "assistant", "content": text, "reasoning_content": text,
         "tool_calls": [call("c", "run", r#"{"summary":"a<b>c","x":"a<b>c","a<b>c":1}"#)]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    ]);
    let id = import_text(&messages.to_string(), &store).unwrap().conversation;
    let mask = |text: &str| text.replace("a<b>c", "<hidden>");
    for form in [Form::Markdown, Form::Html] {
        let text = block_on(written(&store, id, form, &Part::default(), &mask)).unwrap();
        // The title is the beginning of the first message.
        let hidden = text.matches("<hidden>").count()
            + text.matches("lt;hidden").count()
            + text.matches("\\<hidden").count();
        assert!(hidden >= 9, "{hidden} in {text}");
        assert!(!text.contains("b>c") && !text.contains("b&gt;c") && !text.contains("b\\>c"), "{text}");
    }
}
