//! The test vectors of the FIDO hybrid transport: each file's name and text, JSON for the reader of your choice. README.md says what
//! the cases are.

/// The files: `index.json` first, which names those with cases, then those, the rules, and the kinds of the cases' fields.
pub const FILES: &[(&str, &str)] = &[
@FILES@];

/// The text of a file.
pub fn file(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(each, _)| *each == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_index_names_them() {
        let index = super::file("index.json").unwrap();
        assert!(super::FILES.len() > 14 && super::FILES.iter().all(|(name, text)| text.len() > 100
            && (["index.json", "rules.json", "kinds.json"].contains(name) || index.contains(&format!("\"{name}\"")))));
    }
}
