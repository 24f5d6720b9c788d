//! The table of options: an option changes the requests of exactly those wire APIs that its row declares.

use futures_executor::block_on;
use threadkeep::{
    error::Result,
    json::EditableObject,
    llm::{
        LlmOptions,
        endpoint::Endpoint,
        model_data::ModelRow,
        model_features::ModelFeatures,
        option_table::{OptionDeclaration, OptionSource},
        wire_api::{Api, LlmRequest, load},
    },
};

/// A host that sets only this option, to a value other than the default.
struct Setting<'a>(&'a OptionDeclaration);

impl Setting<'_> {
    fn is(&self, name: &str) -> bool {
        self.0.option == Some(name)
    }
}

impl OptionSource for Setting<'_> {
    fn text(&self, name: &str) -> Result<Option<String>> {
        let is_default = |word: &str| (self.0.default)() == format!("\"{word}\"");
        let word = self.0.words.iter().copied().find(|word| *word != "none" && !is_default(word));
        Ok(self.is(name).then(|| word.unwrap_or("in_memory").to_owned()))
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.is(name).then_some(0.5))
    }

    fn count(&self, name: &str) -> Result<Option<u32>> {
        Ok(self.is(name).then_some(1234))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>> {
        Ok(self.is(name).then(|| (self.0.default)() != "true"))
    }
}

fn body(api: Api, options: &LlmOptions, row: &str) -> String {
    let endpoint = Endpoint::resolve(&options.model, None).unwrap();
    let row = ModelRow(EditableObject::compact(row).unwrap());
    let request = LlmRequest {
        options,
        endpoint: &endpoint,
        features: &ModelFeatures::of(options, &endpoint, &row),
        messages: &[],
        tools: &[],
        conversation_id: None,
        is_streaming: options.stream.unwrap_or(true),
    };
    block_on(load(api)).unwrap().begin(&request).unwrap().0.body
}

#[test]
fn an_option_changes_exactly_the_requests_of_its_declared_wire_apis() {
    let apis = [
        (Api::Chat, "openai/gpt-4o"),
        (Api::Responses, "openai/gpt-5"),
        (Api::Anthropic, "anthropic/claude-sonnet-4-5"),
    ];
    // Models that reason accept other options than models that do not.
    let rows = [
        r#"{"supports_reasoning":true,"reasoning_effort":true,"supports_adaptive_thinking":true}"#,
        r#"{"supports_reasoning":false,"reasoning_effort":false}"#,
    ];
    for declared in LlmOptions::DECLARATIONS.iter().filter(|row| row.option.is_some()) {
        for (api, model) in apis {
            let set = LlmOptions::given(model.into(), &Setting(declared)).unwrap();
            let unset = LlmOptions::new(model);
            let is_sent = rows.iter().any(|row| body(api, &set, row) != body(api, &unset, row));
            assert_eq!(is_sent, declared.sent_by.contains(&api), "{} over {}", declared.field, api.as_str());
        }
    }
}
