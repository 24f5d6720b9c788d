//! The sources that answers name, and what servers do by themselves, as each of them says it: kept with the answer for people,
//! through the files of the log, and sent to nobody.

use crate::{
    calls::{call_with, options},
    scripted_http::Reply,
};
use serde_json::{Value, json};
use threadkeep::{
    json::{FromJson as _, ToJson as _},
    llm::{
        LlmOptions,
        beside::{Beside, WebSource, Work},
        message::{Content, Message, Role},
        options::ApiMode,
    },
};

fn at(model: &str, api_mode: ApiMode) -> LlmOptions {
    LlmOptions { model: model.into(), api_mode: Some(api_mode), num_retries: Some(1), ..options() }
}

/// The sources and the work in short, as they are in the file of the event; and the text of the next request, which has the answer.
fn kept(options: &LlmOptions, answer: Reply) -> (Vec<String>, Vec<String>, String) {
    let question = Message::new(Role::User, vec![Content::text("W?")]);
    let message =
        call_with(options.clone(), std::slice::from_ref(&question), vec![answer]).result.unwrap().message;
    let message = Message::from_json(&message.to_json_text()).unwrap();
    let Beside { sources, work } = Beside::of(message.responses_reasoning_item.as_ref());
    let next =
        call_with(options.clone(), &[question.clone(), message, question], vec![Reply::complete(500, "{}")]);
    let in_short =
        |(text, more): (String, Option<String>)| more.map_or(text.clone(), |more| format!("{text} {more}"));
    (
        sources.into_iter().map(|WebSource { url, title }| in_short((url, title))).collect(),
        work.into_iter().map(|Work { name, detail }| in_short((name, detail))).collect(),
        next.http.body(0).to_string(),
    )
}

fn events(events: &[Value]) -> Reply {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

fn chunk(delta: Value, beside: Value) -> Value {
    let mut chunk = json!({"id": "gen-0123456789abcdefghij", "choices": [{"index": 0, "delta": delta}]});
    chunk.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    chunk
}

const A: &str = "https://a.example/1";
const B: &str = "https://b.example/2";

#[test]
fn sources_of_chat_completions_are_kept_whatever_they_are_called() {
    let end = || json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let both = vec![format!("{A} A"), format!("{B} B")];
    let annotation = |url: &str, title: &str| json!({"type": "url_citation", "url_citation": {"url": url, "title": title, "start_index": 0, "end_index": 3}});
    let openrouter = events(&[
        chunk(json!({"content": "Yes"}), json!({})),
        chunk(json!({"content": "", "annotations": [annotation(A, "A")]}), json!({})),
        chunk(json!({"content": "", "annotations": [annotation(A, "A"), annotation(B, "B")]}), json!({})),
        end(),
    ]);
    let lists = json!({"citations": [A, B], "search_results": [{"title": "B", "url": B, "date": null}, {"title": "A", "url": A}]});
    let perplexity = events(&[
        chunk(json!({"content": "Yes [1]"}), lists.clone()),
        chunk(json!({"content": "[2]."}), lists),
        end(),
    ]);
    let zai = events(&[
        chunk(
            json!({"content": "Yes"}),
            json!({"web_search": [{"link": A, "title": "A"}, {"link": B, "title": "B"}]}),
        ),
        end(),
    ]);
    let document = |message: Value, beside: Value| {
        let mut answer = json!({"id": "gen-0123456789abcdefghij", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
        answer.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        Reply::complete(200, &answer.to_string())
    };
    let openai = document(
        json!({"role": "assistant", "content": "Yes", "annotations": [annotation(A, "A"), annotation(B, "B")]}),
        json!({}),
    );
    for (name, answer) in
        [("openrouter", openrouter), ("perplexity", perplexity), ("zai", zai), ("openai", openai)]
    {
        let (sources, work, next) = kept(&at("openrouter/x/y", ApiMode::Chat), answer);
        assert_eq!((sources, work), (both.clone(), Vec::new()), "{name}");
        assert!(next.contains("Yes") && !next.contains("example"), "{name}: {next}");
    }
    let xai = document(json!({"role": "assistant", "content": "Yes"}), json!({"citations": [A, B]}));
    assert_eq!(kept(&at("xai/grok-4", ApiMode::Chat), xai).0, [A, B]);
}

#[test]
fn sources_are_kept_beside_what_goes_back_to_the_server() {
    let answer = events(&[
        chunk(
            json!({"content": "Yes", "reasoning_details": [{"type": "reasoning.encrypted", "data": "c2ln", "index": 0}]}),
            json!({"citations": [A]}),
        ),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    ]);
    let (sources, _, next) = kept(&at("openrouter/x/y", ApiMode::Chat), answer);
    assert_eq!(sources, [A]);
    assert!(next.contains("c2ln") && !next.contains("a.example"), "{next}");
}

#[test]
fn what_groq_has_done_is_named_with_its_sources() {
    let used = json!([
        {"index": 0, "type": "search", "arguments": "{\"query\":\"Rust\"}", "output": "…", "search_results": {"results": [{"title": "A", "url": A, "content": "…", "score": 0.9}]}},
        {"index": 1, "type": "python", "arguments": "{\"code\":\"print(1)\"}"},
    ]);
    let answer = json!({"id": "chatcmpl-0123456789abcdefgh", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes", "executed_tools": used}}]});
    let (sources, work, next) =
        kept(&at("groq/compound", ApiMode::Chat), Reply::complete(200, &answer.to_string()));
    assert_eq!(sources, [format!("{A} A")]);
    assert_eq!(work, ["search Rust", "python print(1)"]);
    assert!(!next.contains("a.example"), "{next}");
}

#[test]
fn citations_and_tools_of_anthropics_are_kept() {
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let web = |url: &str, title: &str| json!({"type": "web_search_result_location", "url": url, "title": title, "encrypted_index": "x", "cited_text": "…"});
    let streamed = events(&[
        json!({"type": "message_start", "message": {"id": "msg_01Beside00000000000001", "model": "claude", "content": [], "usage": {}}}),
        block(0, json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{\"query\": \"Ru"})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "st\"}"})),
        block(
            1,
            json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "https://unused.example", "title": "Not cited"}]}),
        ),
        block(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "citations_delta", "citation": web(A, "A")})),
        delta(2, json!({"type": "text_delta", "text": "Yes"})),
        delta(
            2,
            json!({"type": "citations_delta", "citation": {"type": "char_location", "document_index": 0, "document_title": "Mine", "cited_text": "…"}}),
        ),
        block(3, json!({"type": "text", "text": ".", "citations": [web(B, "B"), web(A, "A")]})),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}}),
        json!({"type": "message_stop"}),
    ]);
    let whole = Reply::complete(
        200,
        &json!({"type": "message", "id": "msg_01Beside00000000000001", "stop_reason": "end_turn", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Rust"}},
            {"type": "text", "text": "Yes.", "citations": [web(A, "A"), {"type": "search_result_location", "source": B, "title": "B"}]},
        ]})
        .to_string(),
    );
    for answer in [streamed, whole] {
        let (sources, work, next) = kept(&at("anthropic/claude-sonnet-4-5", ApiMode::Anthropic), answer);
        assert_eq!(sources, [format!("{A} A"), format!("{B} B")]);
        assert_eq!(work, ["web_search Rust"]);
        assert!(next.contains("Yes"), "{next}");
    }
}

#[test]
fn annotations_and_tools_of_the_responses_api_are_kept() {
    let cited = |url: &str, title: &str| json!({"type": "url_citation", "url": url, "title": title, "start_index": 0, "end_index": 3});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Yes", "annotations": [cited(A, "A"), {"type": "file_citation", "file_id": "file_1"}, cited(B, "B")]}]});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "Rust"}});
    let code = json!({"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "print(1)", "container_id": "c"});
    let mcp = json!({"type": "mcp_call", "id": "mcp_1", "name": "ask_docs", "server_label": "docs", "arguments": "{\"query\":\"wasm\"}", "output": "…"});
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3BhcXVl"});
    for before in [vec![], vec![reasoning]] {
        let output: Vec<Value> =
            before.into_iter().chain([search.clone(), code.clone(), mcp.clone(), message.clone()]).collect();
        let answer = json!({"id": "resp_0123456789abcdefghij", "status": "completed", "output": output});
        let (sources, work, _) =
            kept(&at("openai/gpt-5", ApiMode::Responses), Reply::complete(200, &answer.to_string()));
        assert_eq!(sources, [format!("{A} A"), format!("{B} B")]);
        assert_eq!(work, ["web_search Rust", "code_interpreter print(1)", "ask_docs wasm"]);
    }
}

const PNG: &str = "iVBORw0KGgo=";

#[test]
fn images_of_an_answer_are_parts_of_its_message() {
    let url = format!("data:image/png;base64,{PNG}");
    let image = json!({"type": "image_url", "image_url": {"url": url}});
    let end = || json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let of = |options: &LlmOptions, answer: Reply| {
        let question = Message::new(Role::User, vec![Content::text("Draw.")]);
        let message = call_with(options.clone(), &[question], vec![answer]).result.unwrap().message;
        Message::from_json(&message.to_json_text()).unwrap().content
    };
    let with_text = |parts: Vec<Content>| [vec![Content::text("Here.")], parts].concat();
    let picture = || vec![Content::Image { image_urls: vec![url.clone()], cache_prompt: false }];
    let chat = at("openrouter/google/gemini-3-pro-image", ApiMode::Chat);
    let streamed = events(&[
        chunk(json!({"content": "Here."}), json!({})),
        chunk(json!({"content": "", "images": [image]}), json!({})),
        chunk(json!({"content": "", "images": [image]}), json!({})),
        end(),
    ]);
    assert_eq!(of(&chat, streamed), with_text(picture()));
    let parts = json!({"role": "assistant", "content": [{"type": "text", "text": "Here."}, image]});
    let answer = json!({"id": "gen-0123456789abcdefghij", "choices": [{"index": 0, "finish_reason": "stop", "message": parts}]});
    assert_eq!(of(&chat, Reply::complete(200, &answer.to_string())), with_text(picture()));
    let only = events(&[chunk(json!({"content": null, "images": [{"b64_json": PNG}]}), json!({})), end()]);
    assert_eq!(of(&chat, only), picture());
    let made = json!({"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": PNG, "output_format": "png"});
    let said = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Here.", "annotations": []}]});
    let answer = json!({"id": "resp_0123456789abcdefghij", "status": "completed", "output": [made, said]});
    let responses = at("openai/gpt-5", ApiMode::Responses);
    assert_eq!(of(&responses, Reply::complete(200, &answer.to_string())), with_text(picture()));
}
