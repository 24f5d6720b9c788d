//! An answer with any text, split at any positions: its result and the text that is shown do not depend on the splits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use threadkeep::{
    json::{Object, quoted},
    llm::{
        LlmOptions, ToolSchema,
        endpoint::Endpoint,
        model_data::ModelRow,
        model_features::ModelFeatures,
        text_tools::TextTools,
        wire_api::{Answer, DecodeError, LlmRequest, WireApi as _},
    },
};

fuzz_target!(|input: (Vec<u16>, String, String)| {
    let (cuts, schema, text) = input;
    let is_boundary = |cut: &usize| *cut < text.len() && text.is_char_boundary(*cut);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut)).filter(is_boundary).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
    let (in_one, split) = (decoded(&schema, &[&text]), decoded(&schema, &pieces));
    assert_eq!(in_one.0, split.0);
    // In pieces, long white space is shown before it is known whether a call follows.
    if text.len() < 1000 {
        assert_eq!(in_one.1, split.1);
    }
});

fn decoded(schema: &str, pieces: &[&str]) -> (Result<Answer, DecodeError>, String) {
    let tool = |name: &str, parameters: &str| ToolSchema {
        name: name.into(),
        description: String::new(),
        parameters: parameters.into(),
    };
    // Other parameters are refused before a request is sent.
    let schema = if Object::parse(schema).is_some() { schema } else { "{}" };
    let options = LlmOptions { native_tool_calling: Some(false), ..LlmOptions::new("openai/x") };
    let endpoint = Endpoint::resolve(&options.model, None).unwrap();
    let features = ModelFeatures::of(&options, &endpoint, &ModelRow::default());
    let request = LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &features,
        messages: &[],
        tools: &[
            tool("f", schema),
            tool("g", r#"{"properties":{"n":{"type":"integer"},"a":{"type":"array"}}}"#),
        ],
        conversation_id: None,
        is_streaming: true,
    };
    let mut decoder = TextTools.begin(&request).unwrap().1;
    let mut shown = String::new();
    for piece in pieces {
        let chunk = format!(r#"{{"choices":[{{"delta":{{"content":{}}}}}]}}"#, quoted(piece));
        shown.extend(decoder.push("", &chunk).unwrap().and_then(|delta| delta.content));
    }
    let end = decoder.push("", r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#).unwrap();
    shown.extend(end.and_then(|delta| delta.content));
    (decoder.finish(&mut || "id".into()), shown)
}
