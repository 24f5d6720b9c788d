//! When a skill is activated: by a keyword in a message, or by the path of a call (`skills/skill.py`).

/// Whether the keyword is in the text, which is in lower case, with neither an ASCII letter nor a digit directly before or
/// after it. So `git` is not found in `github`.
pub fn has_keyword(text: &str, keyword: &str) -> bool {
    let keyword = keyword.to_lowercase();
    let is_boundary = |byte: Option<&u8>| !byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let mut start = 0;
    while !keyword.is_empty()
        && let Some(found) = text.get(start..).and_then(|rest| rest.find(&keyword))
    {
        let at = start + found;
        if is_boundary(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && is_boundary(bytes.get(at + keyword.len()))
        {
            return true;
        }
        // Occurrences may overlap.
        start = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    false
}

/// Whether a glob matches a path, case-sensitively: `**` matches any number of folders, `*` any text within one name,
/// `?` one character of a name. A glob without a slash matches a name in any folder.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    if glob.is_empty() {
        return false;
    }
    let anywhere = if glob.contains('/') { "" } else { "**/" };
    let glob: Vec<Token> = tokens(&[anywhere, glob].concat());
    let path: Vec<char> = path.chars().collect();
    // `reached[place]`: the tokens so far match the first `place` characters.
    let mut reached: Vec<bool> = (0..=path.len()).map(|place| place == 0).collect();
    for token in glob {
        let mut next = Vec::with_capacity(reached.len());
        let mut is_open = false;
        for (place, was_reached) in reached.iter().copied().enumerate() {
            // The character before this place, and whether the place before it was reached.
            let before = place.checked_sub(1).and_then(|at| Some((*path.get(at)?, *reached.get(at)?)));
            let is_name = before.is_some_and(|(c, _)| c != '/');
            next.push(match token {
                Token::Char(c) => before == Some((c, true)),
                Token::Any => before.is_some_and(|(c, was_reached)| was_reached && c != '/'),
                Token::Name => {
                    is_open = was_reached || is_open && is_name;
                    is_open
                }
                Token::Path => {
                    is_open |= was_reached;
                    is_open
                }
                Token::Folders => {
                    // A place behind a slash, with the start of the folders anywhere before that slash.
                    let is_behind = is_open && before.is_some() && !is_name;
                    is_open |= was_reached;
                    was_reached || is_behind
                }
            });
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

#[derive(Clone, Copy)]
enum Token {
    /// Exactly this character.
    Char(char),
    /// `?`
    Any,
    /// `*`
    Name,
    /// `**`
    Path,
    /// `**/`
    Folders,
}

fn tokens(glob: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = glob;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '*' if rest.starts_with("**/") => (Token::Folders, 3),
            '*' if rest.starts_with("**") => (Token::Path, 2),
            '*' => (Token::Name, 1),
            '?' => (Token::Any, 1),
            _ => (Token::Char(first), first.len_utf8()),
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

/// The text without the white space at its ends, in the sense of Python's `strip`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
