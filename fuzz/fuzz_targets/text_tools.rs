//! An answer of any words, cut at any places: what it comes to and what of it is shown do not depend on the cuts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use threadkeep::{
    json::quoted,
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
    let (cuts, schema, words) = input;
    let is_place = |cut: &usize| *cut < words.len() && words.is_char_boundary(*cut);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut)).filter(is_place).collect();
    cuts.extend([0, words.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&str> = cuts.windows(2).map(|pair| &words[pair[0]..pair[1]]).collect();
    let (whole, cut) = (heard(&schema, &[&words]), heard(&schema, &pieces));
    assert_eq!(whole.0, cut.0);
    // More white space than a call has in front of it is shown sooner in pieces.
    if words.len() < 1000 {
        assert_eq!(whole.1, cut.1);
    }
});

fn heard(schema: &str, pieces: &[&str]) -> (Result<Answer, DecodeError>, String) {
    let tool = |name: &str, parameters: &str| ToolSchema {
        name: name.into(),
        description: String::new(),
        parameters: parameters.into(),
    };
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
