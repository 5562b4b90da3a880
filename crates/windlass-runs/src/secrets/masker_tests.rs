use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

use super::*;

fn secrets(texts: &[&str]) -> Secrets {
    Secrets::new(texts.iter().map(|text| text.as_bytes())).unwrap()
}

/// The masked output if `text` is written in pieces of these sizes, repeatedly.
fn in_pieces(secrets: &Secrets, text: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut masker = Masker::new(secrets.clone());
    let mut out = Vec::new();
    let mut rest = text;
    for size in sizes.iter().cycle() {
        let (piece, later) = rest.split_at((*size).min(rest.len()));
        masker.push(piece, &mut out);
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    masker.finish(&mut out);
    out
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[test]
fn only_secrets_are_masked() {
    for (given, text, expected) in [
        (&["hunter2!"][..], "a hunter2! b", "a *** b"),
        (&["hunter2!"], "hunter2!hunter2!", "***"),
        (&["hunter2!"], "hunter hunter2", "hunter hunter2"),
        (&["aaaa"], "xaaaaaaay", "x***y"),
        (&["abcdef", "defghi"], "-abcdefghi-", "-***-"),
        (
            &["p@ss/word"],
            "p%40ss%2Fword p%40ss%2fword p%40ss/word",
            "*** *** ***",
        ),
        (&["a b&c d"], "a+b%26c+d", "***"),
        (&["say \"hi\""], r#"{"k":"say \"hi\""}"#, r#"{"k":"***"}"#),
        (&["it's me"], r"echo 'it'\''s me'", "echo '***'"),
        (
            &["first line\nsecond line"],
            "second line, first line",
            "***, ***",
        ),
        (
            &["hunter2!"],
            "68756e7465723221 68756E7465723221",
            "*** ***",
        ),
        (&["hunter2!"], "68:75:6e:74:65:72:32:21", "***"),
        (&["hunter2!"], "68 75 6E 74 65 72 32 21", "***"),
        (&["hunter2!"], r"\x68\x75\x6e\x74\x65\x72\x32\x21", r"\x***"),
        (
            &["hunter2!"],
            "0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, 0x32, 0x21",
            "0x***",
        ),
        (&["hunter2!"], "%68%75%6e%74%65%72%32%21", "%***"),
        (
            &["hunter2!"],
            "00000000: 6875 6e74 6572 3221",
            "00000000: ***",
        ),
        (&["hunter2!"], "0000: 7868 756e 7465 7232 21", "0000: 78***"),
        (
            &["hunter2!"],
            "6875 deadbeef 68756e",
            "6875 deadbeef 68756e",
        ),
        (&["a/b<c>&'d\""], "a/b&lt;c&gt;&amp;&#39;d&quot;", "***"),
        (&["a/b<c>&'d\""], "a/b&lt;c&gt;&amp;&#x27;d&quot;", "***"),
        (
            &["a/b\u{e9}\u{1f600}"],
            r"a\/b\u00e9\ud83d\ude00 a/b\u00e9\ud83d\ude00",
            "*** ***",
        ),
        (&["p@ss w&rd!"], r"p@ss\ w\&rd\!", "***"),
        (&[], "nothing to hide", "nothing to hide"),
    ] {
        let secrets = secrets(given);
        assert_eq!(secrets.mask(text), expected);
        for size in 1..8 {
            let out = in_pieces(&secrets, text.as_bytes(), &[size]);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "by {size}");
        }
    }
}

#[test]
fn only_a_possible_beginning_of_a_secret_is_held_back() {
    let mut masker = Masker::new(secrets(&["hunter2!"]));
    let mut out = Vec::new();
    masker.push(b"progress 10% hun", &mut out);
    assert_eq!(out, b"progress 10% ");
    masker.push(b"gry", &mut out);
    assert_eq!(out, b"progress 10% hungry");
}

#[test]
fn memory_stays_bounded_inside_an_endless_secret() {
    let mut masker = Masker::new(secrets(&["aaaa"]));
    let mut out = Vec::new();
    for _ in 0..1000 {
        masker.push(&[b'a'; 1000], &mut out);
        assert!(masker.pending.len() < 64);
    }
    masker.finish(&mut out);
    assert_eq!(out, b"***");
}

#[test]
fn base64_split_into_lines_is_masked() {
    let secret = (1000..1100)
        .map(|number: u32| number.to_string())
        .collect::<Vec<_>>()
        .join(";");
    let secrets = secrets(&[&secret]);
    let encoded = STANDARD.encode(format!("{secret}\n"));
    for width in [64, 76] {
        let lines: Vec<&str> = encoded
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        let masked = secrets.mask(&lines.join("\n"));
        for line in masked.lines() {
            assert!(line.len() < 16, "{width}: {line}");
        }
    }
}

/// What `hexdump -C` and `xxd` print, with a break in the middle of a line: at most the bytes of a
/// part next to a break remain.
#[test]
fn dumps_leave_little() {
    let secret = "correct-horse-battery-staple-42";
    let secrets = secrets(&[secret]);
    for shift in 0..16 {
        let text = format!("{}{secret}", " ".repeat(shift));
        for (group, middle) in [(1, 8), (2, 16)] {
            let rows = text.as_bytes().chunks(16).map(|row| {
                let groups = row.chunks(group).enumerate().map(|(index, bytes)| {
                    let digits = windlass_core::hexadecimal(bytes);
                    let is_middle = index > 0 && index * group == middle;
                    format!("{}{digits}", if is_middle { " " } else { "" })
                });
                groups.collect::<Vec<_>>().join(" ")
            });
            let masked = secrets.mask(&rows.collect::<Vec<_>>().join("\n"));
            let left = masked.replace(MASK, "").replace("20", "");
            let digits = left.chars().filter(char::is_ascii_hexdigit).count();
            // Three bytes at each end of each half of three rows at the most.
            assert!(
                digits <= 6 * 6,
                "{digits} of {}: {masked}",
                secret.len() * 2
            );
            assert!(masked.contains(MASK), "{masked}");
        }
    }
}

#[test]
fn a_long_secret_is_masked_in_hexadecimal() {
    let secret: String = (1000..1100).map(|number: u32| number.to_string()).collect();
    let secrets = secrets(&[&secret]);
    let digits: Vec<String> = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    for separator in ["", ":", " "] {
        let masked = secrets.mask(&digits.join(separator));
        assert!(masked.starts_with(MASK), "{masked}");
        assert_eq!(masked.replace(MASK, "").replace(separator, ""), "");
    }
}

/// The secret in hexadecimal, in each way that is promised.
fn in_hexadecimal(secret: &str) -> Vec<String> {
    let lower: Vec<String> = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let upper: Vec<String> = secret.bytes().map(|byte| format!("{byte:02X}")).collect();
    let pairs: Vec<String> = lower.chunks(2).map(<[String]>::concat).collect();
    let mut forms = vec![pairs.join(" ")];
    for separator in ["", ":", " "] {
        forms.extend([lower.join(separator), upper.join(separator)]);
    }
    forms
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_secret_never_appears_however_it_is_written(
        secret in "[a-zA-Z0-9@/+=%&?\"' \n-]{4,120}",
        other in "[a-z]{4,10}",
        before in "[a-zA-Z0-9 ]{0,40}",
        after in "[a-zA-Z0-9 ]{0,40}",
        sizes in prop::collection::vec(1_usize..50, 1..10),
    ) {
        let known = secrets(&[&secret, &other]);
        let joined = format!("{before}{secret}{after}");
        let whole_url: String = secret.bytes().map(|byte| {
            if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        }).collect();
        let encodings = [
            joined.clone(),
            format!("{before}{whole_url}{after}"),
            STANDARD.encode(&joined),
            URL_SAFE.encode(&joined),
            format!("{other}{secret}{other}"),
        ];
        let hidden = [STANDARD.encode(&secret), URL_SAFE.encode(&secret), secret.clone()];
        for text in &encodings {
            let out = in_pieces(&known, text.as_bytes(), &sizes);
            let at_once = known.mask(text).into_bytes();
            prop_assert_eq!(&out, &at_once);
            for form in &hidden {
                prop_assert!(!contains(&out, form.as_bytes()), "{:?} in {:?}", form, out);
            }
            prop_assert!(!contains(&out, other.as_bytes()));
        }
        for text in in_hexadecimal(&secret) {
            let written = format!("{before};{text};{after}");
            let out = in_pieces(&known, written.as_bytes(), &sizes);
            prop_assert_eq!(&out, &known.mask(&written).into_bytes());
            prop_assert!(contains(&out, MASK.as_bytes()));
            prop_assert!(!contains(&out, text.as_bytes()), "{:?} in {:?}", text, out);
            // No part remains, apart from separators between the parts of a long secret.
            let left = String::from_utf8_lossy(&out).replace(MASK, "");
            prop_assert!(left.len() <= before.len() + after.len() + 2 + text.len() / 8, "{left}");
        }
        // No part of the secret remains in data that was encoded together with its neighbours.
        for before in 0..3 {
            let blob = format!("{}{secret}", &"###"[..before]);
            let masked = known.mask(&STANDARD.encode(&blob));
            let left = masked.replace(MASK, "").replace('=', "");
            prop_assert!(left.len() <= 4, "{left}");
        }
    }
}
