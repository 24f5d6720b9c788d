//! The files of messages, and images, in a request: which a model is given itself, within the limits of its API, and what it
//! is told of the others.
//!
//! The log has only the names and texts of files. Their bytes are read from the workspace when a request is built, once
//! for all requests, so that each request has the same bytes and providers find them in their caches.

mod input;

pub use input::FileInput;
pub(crate) use input::IMAGE_TOKENS;

use crate::{
    json::object,
    llm::{
        attachment::{Attachment, named_file},
        client::Llm,
        endpoint::Endpoint,
        error::LlmError,
        message::{Content, FileContent, FileKind, GivenFile, Message},
        model_data::ModelRow,
        model_features::ModelFeatures,
        options::TextFunction,
        wire_api::Api,
    },
};
use std::{borrow::Cow, cell::RefCell, fmt, rc::Rc};

/// The longest part of a provider's objection that a model is told, in characters.
const OBJECTION: usize = 200;

/// The files of a conversation's messages, as far as requests had them.
pub struct Files {
    /// Takes the id of an event and, as JSON, the path and what is known of a file of its message: its size and SHA-256.
    /// Returns a `data:` URL in base64 with the type that the bytes have. An error is the reason why there is none.
    read: TextFunction,
    kept: RefCell<Vec<Kept>>,
    /// Messages of the last request, each with what was sent in its place. A message that is the same again keeps its
    /// place in the cache of texts ([`crate::llm::request_text`]).
    sent: RefCell<Vec<(Rc<Message>, Rc<Message>)>>,
}

/// A file that was read.
struct Kept {
    event: String,
    path: String,
    url: Rc<str>,
    /// The objection of the provider that has refused a request with it.
    refused: Option<String>,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

/// The replacement of a part.
enum Replacement {
    Given(GivenFile),
    /// Not the file, for this reason.
    Without(String),
    /// Of these images only those that are `None`; in place of the others a sentence.
    Images(Vec<Option<String>>),
}

impl Files {
    /// Files that this function reads.
    pub fn new(read: TextFunction) -> Self {
        Self { read, kept: RefCell::default(), sent: RefCell::default() }
    }

    /// Notes that a provider has refused these messages. Returns whether files were among them that are left out from now on.
    pub(super) fn refuse(&self, messages: &[Rc<Message>], objection: &str) -> bool {
        let mut is_other = false;
        for file in messages.iter().flat_map(|message| &message.content).filter_map(given_of) {
            for kept in self.kept.borrow_mut().iter_mut().filter(|kept| Rc::ptr_eq(&kept.url, &file.url)) {
                is_other |= kept.refused.is_none();
                kept.refused.get_or_insert_with(|| objection.chars().take(OBJECTION).collect());
            }
        }
        is_other
    }

    /// The file of this message, read once.
    async fn read(&self, event: &str, file: &Attachment) -> Result<Rc<str>, String> {
        let is_this = |kept: &&Kept| kept.event == event && kept.path == file.path;
        if let Some(kept) = self.kept.borrow().iter().find(is_this) {
            return match &kept.refused {
                None => Ok(Rc::clone(&kept.url)),
                Some(objection) => Err(format!("the provider has refused a request with it: {objection}")),
            };
        }
        let known = object! { "path": &*file.path, "size": file.size, "sha256"?: file.sha256 };
        let url: Rc<str> = (self.read)(event, &known.finish()).await?.into();
        let (event, path) = (event.to_owned(), file.path.clone());
        self.kept.borrow_mut().push(Kept { event, path, url: Rc::clone(&url), refused: None });
        Ok(url)
    }

    /// The same message as in the last request, if it is equal to this one.
    fn same(&self, original: &Rc<Message>, made: Message) -> Rc<Message> {
        let sent = self.sent.borrow();
        let earlier = sent.iter().find(|(old, new)| Rc::ptr_eq(old, original) && **new == made);
        earlier.map_or_else(|| Rc::new(made), |(_, new)| Rc::clone(new))
    }
}

/// The files that the model takes.
///
/// # Errors
/// Those of [`ModelRow::of`], and of an unknown server.
pub async fn file_input(llm: &Llm) -> Result<FileInput, LlmError> {
    let options = &llm.options;
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
    let features = ModelFeatures::of(options, &endpoint, &ModelRow::of(options).await?);
    Ok(FileInput::of(Api::of(options, &endpoint, &features), &endpoint, &features))
}

/// The messages with the files that the model is given, and with a sentence in place of each file and image that it is not.
/// The newest come first where there is not room for all.
pub(super) async fn with_files<'a>(
    messages: &'a [Rc<Message>],
    files: Option<&Files>,
    input: &FileInput,
) -> Cow<'a, [Rc<Message>]> {
    let has_any =
        |message: &Rc<Message>| message.content.iter().any(|part| !matches!(part, Content::Text { .. }));
    if !messages.iter().any(has_any) {
        return Cow::Borrowed(messages);
    }
    let mut room =
        Room { bytes: input.most_bytes, pages: input.pdf_pages(), images: images_in(messages, input) };
    let mut sent = Vec::new();
    let mut all = messages.to_vec();
    for (message, place) in messages.iter().zip(&mut all).rev().filter(|(message, _)| has_any(message)) {
        let mut parts = Vec::new();
        for (at, part) in message.content.iter().enumerate().rev() {
            match part {
                Content::Text { .. } => {}
                Content::Image { image_urls, .. } => {
                    let left_out: Vec<_> =
                        image_urls.iter().rev().map(|url| room.image(url, input).err()).collect();
                    if left_out.iter().any(Option::is_some) {
                        parts.push((at, Replacement::Images(left_out.into_iter().rev().collect())));
                    }
                }
                Content::File(file) => {
                    parts.extend(given(file, files, input, &mut room).await.map(|part| (at, part)))
                }
            }
        }
        if parts.is_empty() {
            continue;
        }
        let made = Message { content: content_with(&message.content, parts), ..(**message).clone() };
        *place = match files {
            Some(files) => files.same(message, made),
            None => Rc::new(made),
        };
        sent.push((Rc::clone(message), Rc::clone(place)));
    }
    if let Some(files) = files {
        let is_used = |kept: &Kept| {
            let parts = messages.iter().flat_map(|message| &message.content);
            let is_it = |file: &FileContent| {
                let named = named_file(&file.text);
                file.event == kept.event && named.is_some_and(|(named, ..)| named.path == kept.path)
            };
            parts.filter_map(file_of).any(is_it)
        };
        files.kept.borrow_mut().retain(is_used);
        files.sent.replace(sent);
    }
    Cow::Owned(all)
}

/// The replacement of a file; `None` for one of another kind, of which the text says all.
async fn given(
    file: &FileContent,
    files: Option<&Files>,
    input: &FileInput,
    room: &mut Room,
) -> Option<Replacement> {
    let (named, ..) = named_file(&file.text)?;
    let kind = input.kind_of(&named)?;
    let found = async {
        let kind = kind?;
        let read = files.ok_or_else(|| "it cannot be read here".to_owned());
        let url = read?.read(&file.event, &named).await?;
        let given = GivenFile { kind, name: named.name.clone(), url };
        room.file(&given, named.pages, input)?;
        Ok::<_, String>(given)
    };
    Some(match found.await {
        Ok(given) => Replacement::Given(given),
        Err(why) => Replacement::Without(why),
    })
}

/// The content with these parts, whose places descend.
fn content_with(content: &[Content], mut parts: Vec<(usize, Replacement)>) -> Vec<Content> {
    let mut made = Vec::new();
    for (at, part) in content.iter().enumerate() {
        let replaced = parts.pop_if(|(place, _)| *place == at).map(|(_, part)| part);
        match (part, replaced) {
            (Content::File(file), Some(Replacement::Given(given))) => {
                let line = named_file(&file.text).map_or("", |(_, line, _)| line);
                let text = [line, "\nThe file itself is given before this text."].concat();
                made.push(Content::File(Box::new(FileContent {
                    text,
                    given: Some(given),
                    ..(**file).clone()
                })));
            }
            (Content::File(file), Some(Replacement::Without(why))) => {
                let (line, rest) = named_file(&file.text).map_or(("", ""), |(_, line, rest)| (line, rest));
                made.push(Content::text(format!(
                    "{line}\nThe file itself is not given here: {why}.\n{rest}"
                )));
            }
            (Content::Image { image_urls, cache_prompt }, Some(Replacement::Images(left_out))) => {
                for (url, why) in image_urls.iter().zip(left_out) {
                    made.push(match why {
                        Some(why) => Content::text(why),
                        None => Content::Image { image_urls: vec![url.clone()], cache_prompt: *cache_prompt },
                    });
                }
            }
            (part, _) => made.push(part.clone()),
        }
    }
    made
}

/// The rest of the limits of a request.
struct Room {
    bytes: usize,
    pages: Option<u64>,
    /// The number of images that are sent.
    images: usize,
}

impl Room {
    fn take(&mut self, bytes: usize) -> Result<(), ()> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(())?;
        Ok(())
    }

    fn file(&mut self, given: &GivenFile, pages: Option<u64>, input: &FileInput) -> Result<(), String> {
        let (media_type, data) = given.parts();
        let is_right = match given.kind {
            FileKind::Pdf => media_type == "application/pdf",
            FileKind::Audio(format) => input::audio_format(media_type) == Some(format),
            FileKind::Image => input::IMAGE_TYPES.contains(&media_type),
        };
        if !is_right {
            return Err("its content is not what its name and type say".into());
        }
        if given.kind == FileKind::Image {
            return self.image(&given.url, input);
        }
        let left = self.pages.map(|left| left.checked_sub(pages.unwrap_or(1)));
        if given.kind == FileKind::Pdf && left == Some(None) {
            let most = input.pdf_pages().unwrap_or_default();
            return Err(format!(
                "a request to this model has at most {most} pages of PDF files, and newer files come first"
            ));
        }
        self.take(data.len()).map_err(|()| {
            let most = input::megabytes(input.most_bytes);
            format!("the files of a request to this model have at most {most} MB, and newer files come first")
        })?;
        if given.kind == FileKind::Pdf {
            self.pages = left.flatten();
        }
        Ok(())
    }

    /// # Errors
    /// The text that the model reads in place of the image.
    fn image(&mut self, url: &str, input: &FileInput) -> Result<(), String> {
        // Wire APIs leave out what such a model cannot see.
        if input.image.is_err() {
            return Ok(());
        }
        let left = self.images.checked_sub(1);
        self.images = left.unwrap_or_default();
        if left.is_none() {
            return Err(format!(
                "[An image was left out: a request to this model has at most {}.]",
                input.most_images
            ));
        }
        let Some((media_type, data)) = url.strip_prefix("data:").and_then(|url| url.split_once(";base64,"))
        else {
            return Ok(());
        };
        if !input::IMAGE_TYPES.contains(&media_type) {
            return Err(format!("[An image was left out: no model takes {}.]", shown(media_type)));
        }
        if data.len() > input.most_image {
            let most = input::megabytes(input.most_image);
            return Err(format!("[An image was left out: this model takes {most} MB in base64 at most.]"));
        }
        self.take(data.len()).map_err(|()| "[An image was left out: the request would be too large.]".into())
    }
}

/// The number of images that are sent of those in these messages. If there are too many, a quarter of the limit is left out
/// at once: otherwise each further image would change the beginning of the request, which providers have cached.
fn images_in(messages: &[Rc<Message>], input: &FileInput) -> usize {
    let parts = messages.iter().flat_map(|message| &message.content);
    let count = parts.map(|part| match part {
        Content::Image { image_urls, .. } => image_urls.len(),
        Content::File(file) => named_file(&file.text)
            .is_some_and(|(named, ..)| matches!(input.kind_of(&named), Some(Ok(FileKind::Image))))
            .into(),
        Content::Text { .. } => 0,
    });
    let count: usize = count.sum();
    let step = (input.most_images / 4).max(1);
    count.saturating_sub(count.saturating_sub(input.most_images).div_ceil(step) * step)
}

fn file_of(part: &Content) -> Option<&FileContent> {
    match part {
        Content::File(file) => Some(file),
        _ => None,
    }
}

fn given_of(part: &Content) -> Option<&GivenFile> {
    file_of(part)?.given.as_ref()
}

fn shown(media_type: &str) -> String {
    media_type.chars().filter(|c| !c.is_control()).take(40).collect()
}
