//! The kinds of files and images that a model takes over a wire API, and their limits.

use crate::llm::{
    attachment::Attachment, endpoint::Endpoint, message::FileKind, model_features::ModelFeatures,
    wire_api::Api,
};

/// The files and images that a model takes. The errors are reasons for people and models.
#[derive(Clone, Debug)]
pub struct FileInput {
    /// PDF files, with the most pages of a request.
    pdf: Result<Option<u64>, &'static str>,
    /// Audio.
    audio: Result<(), &'static str>,
    /// Images.
    pub(super) image: Result<(), &'static str>,
    /// The most images of a request.
    pub(super) most_images: usize,
    /// The longest text of an image in base64.
    pub(super) most_image: usize,
    /// The most bytes that files and images of a request have in base64.
    pub(super) most_bytes: usize,
}

/// The types of images that all providers take.
pub(super) const IMAGE_TYPES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

const MEGABYTE: usize = 1_000_000;

/// The number of tokens of a page: Anthropic names 1,500 to 3,000 (platform.claude.com, "PDF support").
const PAGE_TOKENS: u64 = 2500;

/// The tokens of a second of audio: those of Gemini, which are more than OpenAI's.
const SECOND_TOKENS: u64 = 32;

/// The tokens of an image, for providers that count tiles of a large one.
pub(crate) const IMAGE_TOKENS: u64 = 1600;

impl FileInput {
    /// The kinds that this model takes.
    pub fn of(api: Api, endpoint: &Endpoint, features: &ModelFeatures) -> Self {
        let provider = endpoint.provider;
        let is_anthropic = api == Api::Anthropic;
        let only_text = features.force_string_serializer.then_some("this model takes only text");
        let refused = |known: bool, unknown, takes: bool, other| match (only_text, known, takes) {
            (Some(why), ..) => Some(why),
            (None, false, _) => Some(unknown),
            (None, true, false) => Some(other),
            (None, true, true) => None,
        };
        let no_pdf = refused(
            features.supports_pdf_input,
            "this model does not read PDF files",
            is_anthropic || provider.takes_pdf,
            "this provider takes no PDF files in requests",
        );
        let no_audio = refused(
            features.supports_audio_input,
            "this model does not take audio",
            matches!(api, Api::Chat | Api::TextTools) && provider.takes_audio,
            match api {
                Api::Responses => "the Responses API takes no audio",
                Api::Anthropic => "Anthropic Messages takes no audio",
                _ => "this provider takes no audio in requests",
            },
        );
        let no_images = refused(features.supports_vision, "this model does not see images", true, "");
        let or = |refused: Option<&'static str>| refused.map_or(Ok(()), Err);
        // platform.claude.com, "PDF support" and "Vision": 32 MB with everything else; 600 pages and images, and 100 for models with
        // 200,000 tokens. developers.openai.com, "File inputs" and "Images and vision": 50 MB, 500 images.
        let is_claude = is_anthropic || features.is_claude;
        let most = if features.max_input_tokens.is_some_and(|window| window > 200_000) { 600 } else { 100 };
        Self {
            pdf: or(no_pdf).map(|()| is_claude.then_some(most)),
            audio: or(no_audio),
            image: or(no_images),
            most_images: if is_claude { most as usize } else { 500 },
            most_image: if is_claude { 5 * 1024 * 1024 } else { 20 * MEGABYTE },
            most_bytes: if is_claude { 30 * MEGABYTE } else { 50 * MEGABYTE },
        }
    }

    /// The kind of a file that the model is given itself, or the reason why not, as a part of a sentence; `None` for a file
    /// of a kind that no model is given.
    pub fn kind_of(&self, file: &Attachment) -> Option<Result<FileKind, String>> {
        let media_type = media_type(file);
        let found = match &*media_type {
            "application/pdf" => self.pdf.map(|_| FileKind::Pdf),
            kind if kind.starts_with("audio/") => match (self.audio, audio_format(kind)) {
                (Ok(()), Some(format)) => Ok(FileKind::Audio(format)),
                (Ok(()), None) => return Some(Err("this model takes audio only as WAV or MP3".into())),
                (Err(why), _) => Err(why),
            },
            kind if kind.starts_with("image/") && kind != "image/svg+xml" => {
                self.image.map(|()| FileKind::Image)
            }
            _ => return None,
        };
        Some(found.map_err(str::to_owned).and_then(|kind| self.within(kind, file)))
    }

    /// Refuses a file that is too large for every request.
    fn within(&self, kind: FileKind, file: &Attachment) -> Result<FileKind, String> {
        let most = match self.pdf {
            Ok(Some(most)) if kind == FileKind::Pdf => most,
            _ => u64::MAX,
        };
        if let Some(pages) = file.pages.filter(|pages| *pages > most) {
            return Err(format!("it has {pages} pages, and this model takes at most {most}"));
        }
        // Images are made smaller when they are read.
        let in_base64 = file.size.div_ceil(3).saturating_mul(4);
        if kind != FileKind::Image && in_base64 > self.most_bytes as u64 {
            let (size, most) = (megabytes(file.size as usize), megabytes(self.most_bytes / 4 * 3));
            return Err(format!("it has {size} MB, and this model takes at most {most} MB"));
        }
        Ok(kind)
    }

    pub(super) fn pdf_pages(&self) -> Option<u64> {
        self.pdf.ok().flatten()
    }

    /// The estimated number of tokens of a file that the model is given itself; `None` for others.
    pub fn tokens(&self, file: &Attachment) -> Option<u64> {
        match self.kind_of(file)?.ok()? {
            // If the number of pages is not known, it is estimated: a page with pictures has about 100 kB.
            FileKind::Pdf => {
                Some(file.pages.unwrap_or((file.size / 100_000).clamp(1, 50)).saturating_mul(PAGE_TOKENS))
            }
            FileKind::Audio("mp3") => Some((file.size / 16_000).saturating_mul(SECOND_TOKENS)),
            FileKind::Audio(_) => Some((file.size / 32_000).saturating_mul(SECOND_TOKENS)),
            FileKind::Image => Some(IMAGE_TOKENS),
        }
    }
}

/// The media type, or else that of the name's ending: the platform may know none.
fn media_type(file: &Attachment) -> String {
    let given = file.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !given.is_empty() && given != "application/octet-stream" {
        return given;
    }
    let ending = file.name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match &*ending {
        "pdf" => "application/pdf",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => "",
    }
    .to_owned()
}

/// The name of this format of audio in requests; `None` for those that providers do not take.
pub(super) fn audio_format(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" | "audio/x-mp3" | "audio/mpeg3" => Some("mp3"),
        _ => None,
    }
}

/// A number of bytes in megabytes, with one decimal unless that is 0.
pub(super) fn megabytes(bytes: usize) -> String {
    let tenths = bytes.saturating_add(50_000) / 100_000;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{whole}.{tenth}"),
    }
}
