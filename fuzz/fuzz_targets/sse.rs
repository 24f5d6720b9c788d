//! A stream of any bytes, split at any positions: the events do not depend on the splits, and no decoder panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use threadkeep::llm::{
    anthropic::AnthropicDecoder,
    chat_completions::ChatDecoder,
    responses::ResponsesDecoder,
    sse::{SseMessage, SseParser, TooLong},
    wire_api::{Answer, DecodeError, Decoder},
};

const LIMIT: usize = 4096;

fuzz_target!(|input: (Vec<u16>, Vec<u8>)| {
    let (cuts, bytes) = input;
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut)).filter(|cut| *cut < bytes.len()).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    let in_one = events(&[&bytes]);
    let split = events(&pieces);
    assert_eq!(in_one, split);
    // An invalid byte becomes a replacement character of three bytes.
    assert!(in_one.0.iter().all(|message| message.data.len() <= 3 * LIMIT));
    let decoders: [Box<dyn Decoder>; 3] = [
        Box::new(AnthropicDecoder::default()),
        Box::new(ChatDecoder::default()),
        Box::new(ResponsesDecoder::default()),
    ];
    for decoder in decoders {
        let _ = answer(decoder, &in_one.0);
    }
});

fn events(pieces: &[&[u8]]) -> (Vec<SseMessage>, Result<(), TooLong>) {
    let mut parser = SseParser::new(LIMIT);
    let mut out = Vec::new();
    let result = pieces.iter().try_for_each(|piece| parser.push(piece, &mut out));
    out.extend(parser.finish());
    (out, result)
}

fn answer(mut decoder: Box<dyn Decoder>, messages: &[SseMessage]) -> Result<Answer, DecodeError> {
    for message in messages {
        decoder.push(&message.event, &message.data)?;
    }
    decoder.finish(&mut || "id".into())
}
