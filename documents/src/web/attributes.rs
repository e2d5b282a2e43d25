//! Elements with more attributes than anybody writes.
//!
//! The tokenizer compares each attribute of an element with all before it. A page whose elements have thousands costs the
//! square of that, so the page is looked through first, and read up to such an element.

/// Attributes of one element; more are found in no page that somebody made.
pub(super) const MOST: usize = 1000;
/// In a script beside an SVG, which may be markup: what only looks like an element there ends at the next `>`.
const MOST_IN_SCRIPTS: usize = 20_000;
/// Elements whose content is no markup.
const RAW: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Where the first element begins that has too many attributes.
pub(super) fn first_with_too_many(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Within SVG and MathML a script is markup like all else. Whether an element lies in one only the parser knows.
    let mut foreign = false;
    let mut raw_until = 0;
    while let Some(begin) = find(bytes, at, b"<") {
        let rest = &bytes[begin..];
        if begin >= raw_until && rest.starts_with(b"<!--") {
            let ends = [find(bytes, begin + 2, b"-->"), find(bytes, begin + 2, b"--!>")];
            at = ends.into_iter().flatten().min()? + 3;
            continue;
        }
        let name_at = if rest.get(1) == Some(&b'/') { 2 } else { 1 };
        if !rest.get(name_at).is_some_and(u8::is_ascii_alphabetic) {
            at = begin + 1;
            continue;
        }
        let tag = Tag::of(rest, name_at);
        let most = if begin < raw_until { MOST_IN_SCRIPTS } else { MOST };
        if tag.attributes > most {
            return Some(begin);
        }
        at = begin + tag.length;
        foreign |= ["svg", "math"].iter().any(|name| tag.name.eq_ignore_ascii_case(name.as_bytes()));
        if name_at == 1
            && begin >= raw_until
            && RAW.iter().any(|raw| tag.name.eq_ignore_ascii_case(raw.as_bytes()))
        {
            let end = end_of_raw(bytes, at, tag.name);
            if foreign {
                raw_until = end;
            } else {
                at = end;
            }
        }
    }
    None
}

/// A begin or an end of an element, as the tokenizer takes it apart.
struct Tag<'a> {
    name: &'a [u8],
    attributes: usize,
    /// Up to and with its `>`.
    length: usize,
}

impl<'a> Tag<'a> {
    fn of(text: &'a [u8], name_at: usize) -> Self {
        let ends_name = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        let length = text[name_at..].iter().position(ends_name).unwrap_or(text.len() - name_at);
        let name = &text[name_at..name_at + length];
        let mut at = name_at + length;
        let (mut attributes, mut in_attribute) = (0, false);
        while let Some(byte) = text.get(at) {
            at += 1;
            match byte {
                b'>' => break,
                b'=' if in_attribute => {
                    at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    at = end_of_value(text, at);
                    in_attribute = false;
                }
                b'/' => in_attribute = false,
                // White space before a `=` does not end an attribute.
                byte if byte.is_ascii_whitespace() => {
                    at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    in_attribute &= text.get(at) == Some(&b'=');
                }
                _ if in_attribute => {}
                _ => {
                    attributes += 1;
                    in_attribute = true;
                }
            }
        }
        Self { name, attributes, length: at }
    }
}

fn end_of_value(text: &[u8], begin: usize) -> usize {
    let behind = |ends: &dyn Fn(&u8) -> bool, from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().position(ends).unwrap_or(rest.len())
    };
    match text.get(begin) {
        Some(quote @ (b'"' | b'\'')) => (behind(&|byte| byte == quote, begin + 1) + 1).min(text.len()),
        _ => behind(&|byte| byte.is_ascii_whitespace() || *byte == b'>', begin),
    }
}

/// Where the end of a raw element begins.
fn end_of_raw(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    let mut at = from;
    while let Some(end) = find(bytes, at, b"</") {
        let behind = &bytes[end + 2..];
        if behind.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)) {
            return end;
        }
        at = end + 2;
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let mut at = 0;
    while let Some(found) = rest.get(at..)?.iter().position(|byte| *byte == what[0]) {
        if rest[at + found..].starts_with(what) {
            return Some(from + at + found);
        }
        at += found + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(attributes: usize) -> String {
        let names: Vec<String> = (0..attributes).map(|number| format!("a{number}")).collect();
        format!("<i {}>", names.join(" "))
    }

    #[test]
    fn an_element_is_too_wide_by_its_attributes_alone() {
        assert_eq!(first_with_too_many(&format!("<p>{}", wide(MOST))), None);
        assert_eq!(first_with_too_many(&format!("<p>{}", wide(MOST + 1))), Some(3));
        assert_eq!(first_with_too_many(&format!("<p></{}", &wide(MOST + 1)[1..])), Some(3));
        let slashes = "<i ".to_owned() + &"a/".repeat(MOST + 1);
        assert_eq!(first_with_too_many(&slashes), Some(0));
        let glued = "<i ".to_owned() + &"a=''".repeat(MOST + 1);
        assert_eq!(first_with_too_many(&glued), Some(0));
        let value = format!("<i title=\"{}\" alt='{0}' x = {}>", "a b > ".repeat(MOST), "y".repeat(MOST * 9));
        assert_eq!(first_with_too_many(&value), None);
    }

    #[test]
    fn scripts_and_comments_have_no_elements() {
        let words = "b c ".repeat(MOST);
        for raw in [
            format!("<script>if (a<b {words}</script>"),
            format!("<STYLE>a<b {words}</style x>"),
            format!("<!-- <b {words} -->"),
            format!("<p>a < b {words}"),
            format!("<svg><path/></svg><script>a<b {words}; c > d</script>"),
        ] {
            assert_eq!(first_with_too_many(&raw), None, "{}", &raw[..20]);
            let then = format!("{raw}<p>{}", wide(MOST + 1));
            assert_eq!(first_with_too_many(&then), Some(raw.len() + 3), "{}", &raw[..20]);
        }
        // An empty comment ends at once.
        assert_eq!(first_with_too_many(&format!("<!-->{}", wide(MOST + 1))), Some(5));
        // What the tokenizer takes for markup is counted, though the page calls it a script.
        assert!(first_with_too_many(&format!("<svg><script>{}", wide(MOST_IN_SCRIPTS + 1))).is_some());
    }

    #[test]
    fn a_page_that_ends_anywhere_is_looked_through() {
        let page = "<p a='b' c = d><!-- x --!><script>a</script><svg x><title></i y=\"z";
        for end in 0..=page.len() {
            assert_eq!(first_with_too_many(&page[..end]), None);
        }
    }
}
