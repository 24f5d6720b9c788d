//! The programs that a line of shell names and that the shell of a page does not have.
//!
//! This only says so beforehand, by what is written: what is decided depends on what the shell reports when the line is run.

/// Programs that are no shell commands, and what runs files with these endings.
const PROGRAMS: [&str; 24] = [
    "python",
    "python3",
    "pip",
    "uv",
    "uvx",
    "node",
    "npm",
    "npx",
    "deno",
    "bun",
    "bunx",
    "tsx",
    "ruby",
    "perl",
    "php",
    "go",
    "cargo",
    "java",
    "git",
    "gh",
    "docker",
    "make",
    "pwsh",
    "powershell",
];
const ENDINGS: [(&str, &str); 8] = [
    (".py", "python3"),
    (".js", "node"),
    (".mjs", "node"),
    (".cjs", "node"),
    (".ts", "node"),
    (".rb", "ruby"),
    (".pl", "perl"),
    (".ps1", "powershell"),
];
/// Words behind which another command stands.
const BEFORE: [&str; 13] =
    ["if", "then", "else", "elif", "while", "until", "do", "exec", "time", "!", "{", "env", "command"];

/// The names, each once, in the order of the text.
pub fn missing(command: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_first = true;
    for word in words(command) {
        if word.len() == 1 && word.chars().all(|c| "|&;()\n".contains(c)) {
            is_first = true;
            continue;
        }
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        });
        let name = word.rsplit('/').next().unwrap_or_default();
        if !is_first || is_assignment || BEFORE.contains(&name) {
            continue;
        }
        is_first = false;
        let by_ending =
            ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, program)| *program);
        if let Some(name) = PROGRAMS.iter().find(|program| **program == name).copied().or(by_ending)
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// The words of a line without their quotes, and the signs between commands.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        let is_sign = "|&;()\n".contains(c);
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if is_sign || c.is_whitespace() => {
                words.push(if is_sign { c.to_string() } else { String::new() });
                words.push(String::new());
            }
            _ => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_where_commands_stand() {
        for (command, names) in [
            ("python3 \"${CLAUDE_PLUGIN_ROOT}/hooks/x.py\"", &["python3"][..]),
            ("\"${CLAUDE_PLUGIN_ROOT}\"/hooks/x.py", &["python3"]),
            ("cat | jq -r .x && A=1 node x.js; git status", &["node", "git"]),
            ("if git diff; then /usr/bin/env python -V; fi", &["git", "python"]),
            ("echo python3 git", &[]),
            ("echo 'a; python3 x' | cat", &[]),
            ("bash ${CLAUDE_PLUGIN_ROOT}/x.sh", &[]),
            ("(npx tsc)\nnpx tsc", &["npx"]),
            ("", &[]),
        ] {
            assert_eq!(missing(command), names, "{command}");
        }
    }
}
