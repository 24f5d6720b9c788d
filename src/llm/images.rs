//! The images of an answer, as parts of its message: the SDK's `ImageContent`, with `data:` URLs or addresses.

use super::message::Content;
use crate::json::Object;

/// The most images that are kept of an answer.
const MOST: usize = 16;

/// The most bytes of all URLs of an answer: they are in its event.
const MOST_BYTES: usize = 20 << 20;

/// The longest address of an image that is somewhere else, in bytes.
const LONGEST_ADDRESS: usize = 2048;

/// The kinds of pictures that every browser shows without running anything.
const KINDS: [&str; 6] = ["png", "jpeg", "jpg", "gif", "webp", "avif"];

/// The images of an answer, as far as they have been received.
#[derive(Default)]
pub(super) struct Images {
    urls: Vec<String>,
    length: usize,
    left_out: usize,
}

impl Images {
    /// Takes an image in one of the forms of Chat Completions: OpenRouter's, that of a part of a message, or bare data.
    pub(super) fn take(&mut self, image: &Object<'_>) {
        let inner = image.object("image_url");
        let url = inner.read("url").or_else(|| image.read("image_url")).or_else(|| image.read("url"));
        match url {
            Some(url) => self.add(url),
            None => self.take_data(&image.read::<String>("b64_json").unwrap_or_default(), "png"),
        }
    }

    /// Takes an image as base64.
    pub(super) fn take_data(&mut self, data: &str, kind: &str) {
        if !data.is_empty() {
            self.add(format!("data:image/{};base64,{data}", if kind.is_empty() { "png" } else { kind }));
        }
    }

    fn add(&mut self, url: String) {
        if !is_image(&url) || self.urls.contains(&url) {
            return;
        }
        if self.urls.len() >= MOST || self.length.saturating_add(url.len()) > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        self.length += url.len();
        self.urls.push(url);
    }

    /// The parts behind the text of the message.
    pub(super) fn parts(self) -> Vec<Content> {
        let mut parts = Vec::new();
        if !self.urls.is_empty() {
            parts.push(Content::Image { image_urls: self.urls, cache_prompt: false });
        }
        if self.left_out > 0 {
            let count = if self.left_out == 1 { "One image" } else { "Several images" };
            parts.push(Content::text(format!(
                "[{count} of this answer could not be kept: too large, or too many.]"
            )));
        }
        parts
    }
}

fn is_image(url: &str) -> bool {
    if let Some((kind, data)) = url.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,")) {
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        return KINDS.contains(&kind) && !data.is_empty() && data.bytes().all(is_base64);
    }
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    is_web && url.len() <= LONGEST_ADDRESS && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(urls: impl IntoIterator<Item = String>) -> Vec<Content> {
        let mut images = Images::default();
        urls.into_iter().for_each(|url| images.add(url));
        images.parts()
    }

    #[test]
    fn only_pictures_are_kept_and_each_once() {
        let png = "data:image/png;base64,iVBORw0KGgo=".to_owned();
        for other in [
            "data:image/svg+xml;base64,AA==",
            "data:text/html;base64,AA==",
            "data:image/png,<b>",
            "data:image/png;base64,<b>",
            "javascript:alert(1)",
            "https://a.example/ b",
            "",
        ] {
            assert_eq!(parts([other.to_owned()]), [], "{other}");
        }
        let image = Content::Image { image_urls: vec![png.clone()], cache_prompt: false };
        assert_eq!(parts([png.clone(), png]), [image]);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_says_so() {
        let large = |letter: char| format!("data:image/png;base64,{}", letter.to_string().repeat(9 << 20));
        let kept = parts(['A', 'B', 'C'].map(large));
        assert!(matches!(&kept[0], Content::Image { image_urls, .. } if image_urls.len() == 2));
        assert!(kept[1].as_text().is_some_and(|text| text.starts_with("[One image")));
        let many = parts((0..40).map(|at| format!("https://a.example/{at}.png")));
        assert!(matches!(&many[0], Content::Image { image_urls, .. } if image_urls.len() == MOST));
        assert!(many[1].as_text().is_some_and(|text| text.starts_with("[Several images")));
    }
}
