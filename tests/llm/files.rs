//! Files of messages in requests: their limits, what is read and how often, and what a model is told of those that it is not
//! given. The forms of the wire APIs are tested in `tests/conversation/given-files.test.mjs`.

use crate::{
    calls::options,
    scripted_http::{Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::Value;
use std::{cell::RefCell, rc::Rc};
use threadkeep::llm::{
    CallContext, Llm, LlmOptions,
    attachment::{Attachment, attachment_texts, named_file},
    endpoint::Endpoint,
    files::{FileInput, Files},
    message::{Content, FileKind, Message, Role},
    model_data::ModelRow,
    model_features::ModelFeatures,
    wire_api::Api,
};

const PDF: &str = "data:application/pdf;base64,JVBERi0xLjcK";

fn attachment(name: &str, media_type: &str, size: u64, pages: Option<u64>) -> Attachment {
    let path = format!("attachments/{name}");
    let (name, media_type) = (name.to_owned(), media_type.to_owned());
    Attachment {
        path,
        name,
        media_type,
        size,
        pages,
        text: Some("Its words.".into()),
        ..Attachment::default()
    }
}

fn pdf(name: &str, pages: Option<u64>) -> Attachment {
    attachment(name, "application/pdf", 9, pages)
}

fn message(event: &str, files: &[Attachment]) -> Rc<Message> {
    let texts = attachment_texts(files, None);
    let content = texts.iter().map(|text| Content::file(text.as_text().unwrap(), event)).collect();
    Rc::new(Message::new(Role::User, content))
}

/// What this model takes, with a row that says that it reads everything.
fn input(model: &str, api: Api, window: u64) -> FileInput {
    let row = format!(
        r#"{{"max_input_tokens":{window},"supports_pdf_input":true,"supports_audio_input":true,"supports_vision":true}}"#
    );
    let endpoint = Endpoint::resolve(model, None).unwrap();
    let features =
        ModelFeatures::of(&LlmOptions::new(model), &endpoint, &ModelRow::parse(model, &row).unwrap());
    FileInput::of(api, &endpoint, &features)
}

fn why(input: &FileInput, file: &Attachment) -> String {
    input.kind_of(file).unwrap().unwrap_err()
}

#[test]
fn each_kind_is_recognized_by_its_type_or_its_name() {
    let input = input("openai/x", Api::Chat, 1);
    let kind = |name: &str, media_type: &str| input.kind_of(&attachment(name, media_type, 9, None));
    for (name, media_type) in [("a", "application/pdf"), ("a.PDF", ""), ("a.pdf", "application/octet-stream")]
    {
        assert_eq!(kind(name, media_type), Some(Ok(FileKind::Pdf)), "{name} {media_type}");
    }
    for media_type in ["audio/wav", "audio/x-wav", "audio/vnd.wave", "Audio/WAV; codecs=1"] {
        assert_eq!(kind("a", media_type), Some(Ok(FileKind::Audio("wav"))), "{media_type}");
    }
    assert_eq!(kind("a.mp3", ""), Some(Ok(FileKind::Audio("mp3"))));
    assert_eq!(kind("a", "image/heic"), Some(Ok(FileKind::Image)), "a page turns it into another type");
    for (name, media_type) in
        [("a.svg", "image/svg+xml"), ("a.txt", "text/plain"), ("a.docx", ""), ("pdf", "")]
    {
        assert_eq!(kind(name, media_type), None, "{name} {media_type}");
    }
    assert_eq!(kind("a.ogg", "audio/ogg").unwrap().unwrap_err(), "this model takes audio only as WAV or MP3");
}

#[test]
fn limits_are_those_of_the_provider_and_of_claude_anywhere() {
    let long = pdf("long.pdf", Some(300));
    for (model, api) in [("anthropic/claude-x", Api::Anthropic), ("openrouter/anthropic/claude-x", Api::Chat)]
    {
        assert_eq!(
            why(&input(model, api, 200_000), &long),
            "it has 300 pages, and this model takes at most 100"
        );
        assert_eq!(input(model, api, 1_000_000).kind_of(&long), Some(Ok(FileKind::Pdf)));
    }
    assert_eq!(input("openai/x", Api::Responses, 200_000).kind_of(&long), Some(Ok(FileKind::Pdf)));
    let large = attachment("large.pdf", "application/pdf", 30_000_000, None);
    let claude = input("anthropic/claude-x", Api::Anthropic, 200_000);
    assert_eq!(why(&claude, &large), "it has 30 MB, and this model takes at most 22.5 MB");
    assert_eq!(input("openai/x", Api::Chat, 1).kind_of(&large), Some(Ok(FileKind::Pdf)));
    let audio = attachment("a.mp3", "audio/mpeg", 9, None);
    assert_eq!(why(&claude, &audio), "Anthropic Messages takes no audio");
    assert_eq!(why(&input("openai/x", Api::Responses, 1), &audio), "the Responses API takes no audio");
    assert_eq!(why(&input("groq/x", Api::Chat, 1), &audio), "this provider takes no audio in requests");
    assert_eq!(why(&input("gemini/x", Api::Chat, 1), &long), "this provider takes no PDF files in requests");
    assert_eq!(why(&input("moonshot/moonshot-v1-8k", Api::Chat, 1), &long), "this model takes only text");
}

#[test]
fn tokens_are_counted_by_pages_seconds_and_pictures() {
    let input = input("openai/x", Api::Chat, 1);
    let tokens = |name: &str, size, pages| input.tokens(&attachment(name, "", size, pages));
    assert_eq!(tokens("a.pdf", 9, Some(20)), Some(50_000));
    assert_eq!(tokens("a.pdf", 900_000, None), Some(22_500));
    assert_eq!(tokens("a.pdf", 900_000_000, None), None, "it is not given");
    assert_eq!(tokens("a.mp3", 160_000, None), Some(320));
    assert_eq!(tokens("a.wav", 320_000, None), Some(320));
    assert_eq!(tokens("a.png", 9, None), Some(1600));
    assert_eq!(tokens("a.txt", 9, None), None);
}

struct World {
    http: Rc<ScriptedHttp>,
    llm: Llm,
    context: CallContext,
    /// The paths that were read.
    read: Rc<RefCell<Vec<String>>>,
}

/// A model whose files are all [`PDF`], except those whose name says how they fail.
fn world(model: &str, replies: Vec<Reply>) -> World {
    let http = ScriptedHttp::new(replies);
    let read: Rc<RefCell<Vec<String>>> = Rc::default();
    let seen = read.clone();
    let files = Files::new(Rc::new(move |event: &str, known: &str| {
        let known: Value = serde_json::from_str(known).unwrap();
        let path = known["path"].as_str().unwrap().to_owned();
        seen.borrow_mut().push(format!("{event} {path}"));
        async move { if path.contains("gone") { Err("it is gone".to_owned()) } else { Ok(PDF.to_owned()) } }
            .boxed_local()
    }));
    let llm = Llm {
        options: LlmOptions { model: model.into(), stream: Some(false), ..options() },
        http: http.clone(),
        host: Rc::new(ScriptedHost::default()),
        load_file: None,
        fallbacks: Vec::new(),
        fallback_on: Vec::new(),
        has_answered: Rc::default(),
    };
    let context = CallContext { files: Some(Rc::new(files)), ..CallContext::default() };
    World { http, llm, context, read }
}

impl World {
    /// The content of the last request's messages.
    fn ask(&self, messages: &[Rc<Message>]) -> Vec<Vec<Value>> {
        block_on(self.llm.complete(messages, &[], &self.context, &|_| ())).unwrap();
        let requests = self.http.requests.borrow();
        let body: Value = serde_json::from_str(&requests.last().unwrap().body).unwrap();
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|message| message["content"].as_array().unwrap().clone()).collect()
    }
}

fn ok() -> Reply {
    Reply::complete(
        200,
        r#"{"choices":[{"message":{"role":"assistant","content":"Yes"},"finish_reason":"stop"}]}"#,
    )
}

#[test]
fn a_file_is_read_once_and_again_only_after_it_was_not_needed() {
    let world = world("openai/gpt-4o", vec![ok(), ok(), ok(), ok()]);
    let first = message("e-1", &[pdf("a.pdf", None)]);
    let words = Rc::new(Message::new(Role::User, vec![Content::text("And?")]));
    let sent = world.ask(std::slice::from_ref(&first));
    assert_eq!(sent[0][0]["file"]["file_data"], PDF);
    assert_eq!(world.ask(&[first.clone(), words.clone()])[0], sent[0]);
    assert_eq!(*world.read.borrow(), ["e-1 attachments/a.pdf"]);
    // Condensed away, and back on another branch.
    world.ask(&[words]);
    world.ask(&[first]);
    assert_eq!(world.read.borrow().len(), 1, "a request without files forgets none");
}

#[test]
fn the_newest_files_come_first_where_there_is_no_room_for_all() {
    let world = world(
        "claude-sonnet-4-5",
        vec![Reply::complete(
            200,
            r#"{"id":"m","content":[{"type":"text","text":"Yes"}],"stop_reason":"end_turn"}"#,
        )],
    );
    let messages = [
        message("e-1", &[pdf("old.pdf", Some(90)), pdf("gone.pdf", Some(1))]),
        message("e-2", &[pdf("new.pdf", Some(60))]),
    ];
    let sent = world.ask(&messages);
    let texts: Vec<&str> = sent.iter().flatten().filter_map(|part| part["text"].as_str()).collect();
    assert!(
        texts[0].contains("\nThe file itself is not given here: a request to this model has at most"),
        "{}",
        texts[0]
    );
    assert!(
        texts[0].ends_with("pages of PDF files, and newer files come first.\nIts text:\nIts words."),
        "{}",
        texts[0]
    );
    assert!(texts[1].contains("\nThe file itself is not given here: it is gone.\nIts text:"), "{}", texts[1]);
    assert!(texts[2].ends_with("\nThe file itself is given before this text."), "{}", texts[2]);
    let kinds: Vec<&str> = sent.iter().flatten().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "text", "document", "text"]);
}

#[test]
fn a_file_that_the_provider_refuses_is_left_out_and_other_failures_are_not_its_fault() {
    let refusal = || Reply::complete(400, r#"{"error":{"message":"The PDF is not valid."}}"#);
    let world = world("openai/gpt-4o", vec![refusal(), ok(), ok()]);
    let messages = [message("e-1", &[pdf("a.pdf", None)])];
    for _ in 0..2 {
        let sent = world.ask(&messages);
        let text = sent[0][0]["text"].as_str().unwrap();
        assert!(text.contains("has refused a request with it: The PDF is not valid.\nIts text:"), "{text}");
    }
    assert_eq!(world.http.requests.borrow().len(), 3, "the second answer needed no second attempt");
    // Without files the same error is final.
    let world = self::world("openai/gpt-4o", vec![refusal()]);
    let plain = [Rc::new(Message::new(Role::User, vec![Content::text("Hi")]))];
    let error = block_on(world.llm.complete(&plain, &[], &world.context, &|_| ())).unwrap_err();
    assert!(error.message.contains("The PDF is not valid"), "{error}");
}

#[test]
fn images_of_a_type_or_size_that_is_not_taken_become_sentences() {
    let world = world("openai/gpt-4o", vec![ok()]);
    let image = |url: String| Content::Image { image_urls: vec![url], cache_prompt: false };
    let large = format!("data:image/png;base64,{}", "A".repeat(20_000_004));
    let content = vec![
        image("data:image/bmp;base64,Qk0=".into()),
        image(large),
        image("data:image/png;base64,AAAA".into()),
        image("https://example.com/a.png".into()),
    ];
    let sent = world.ask(&[Rc::new(Message::new(Role::User, content))]);
    let texts: Vec<Option<&str>> = sent[0].iter().map(|part| part["text"].as_str()).collect();
    let (kind, size) = (
        "[An image was left out: no model takes image/bmp.]",
        "[An image was left out: this model takes 20 MB in base64 at most.]",
    );
    assert_eq!(texts, [Some(kind), Some(size), None, None]);
}

#[test]
fn the_first_line_is_read_as_it_was_written() {
    let written = Attachment { sha256: Some("ab".into()), ..pdf("a\n.pdf", Some(3)) };
    let texts = attachment_texts(std::slice::from_ref(&written), None);
    let (read, _, rest) = named_file(texts[0].as_text().unwrap()).unwrap();
    assert_eq!((read, rest), (Attachment { text: None, ..written }, "Its text:\nIts words."));
    assert!(named_file("Attached file: {}\n").is_none());
}
