use keyloom_finding::Sources;

use super::format;

fn formatted(input: &str) -> Result<String, Vec<String>> {
    let mut sources = Sources::default();
    let file = sources.add("catalog.yaml", input);
    format(&sources, file).map_err(|findings| findings.into_iter().map(|finding| finding.message).collect())
}

#[track_caller]
fn check(input: &str, expect: &str) {
    let once = formatted(input).unwrap();
    assert_eq!(once, expect, "\n--- got\n{once}--- instead of\n{expect}");
    assert_eq!(formatted(&once).unwrap(), once, "printing it again changed it");
}

#[track_caller]
fn check_same(text: &str) {
    check(text, text);
}

#[track_caller]
fn check_refused(input: &str, message: &str) {
    let findings = formatted(input).unwrap_err();
    assert!(findings.iter().any(|finding| finding.contains(message)), "{findings:?}");
}

mod layout {
    use super::*;

    #[test]
    fn a_canonical_file_stays() {
        check_same("language: 1\ncatalog: shop\nentities:\n  User:\n    key: [user_id]\n");
    }

    #[test]
    fn indentation_is_two_blanks() {
        check("a:\n      b:\n       - c\n       -   d\n", "a:\n  b:\n    - c\n    - d\n");
        check("a:\n- b\n- c: 1\n  d: 2\n", "a:\n  - b\n  - c: 1\n    d: 2\n");
        check("-   a:   1\n    b: 2\n", "- a: 1\n  b: 2\n");
    }

    #[test]
    fn lists_in_lists() {
        check_same("- - a\n  - b\n- - - c\n");
        check("-\n  -\n    a: 1\n", "- - a: 1\n");
    }

    #[test]
    fn line_ends_byte_order_mark_and_trailing_blanks() {
        check("\u{feff}a: 1  \r\nb: 2\t\r\n\r\n\r\n", "a: 1\nb: 2\n");
        check("a: 1\rb: 2", "a: 1\nb: 2\n");
        check("\u{feff}# c\n\n\n\na:\n  b: 1", "# c\n\na:\n  b: 1\n");
        check("---\na: 1\n...\n", "a: 1\n");
    }

    #[test]
    fn one_blank_line_stays_but_none_at_the_start() {
        check("\n\na: 1\n\n\n\nb:\n\n  c: 1\n\n  d: 2\n\ne: 3\n\n\n", "a: 1\n\nb:\n  c: 1\n\n  d: 2\n\ne: 3\n");
        check("- a\n\n- b\n\n\n-\n  c: 1\n\n-\n  d: 1\n", "- a\n\n- b\n\n- c: 1\n\n- d: 1\n");
    }

    #[test]
    fn nothing_at_all() {
        check("", "");
        check("\n\n", "");
        check("# only\n\n\n# this\n", "# only\n\n# this\n");
        check("a:\nb:   \nc: \n", "a:\nb:\nc:\n");
        check("-\n- \n", "-\n-\n");
        check("a: {}\nb: []\nc: {  }\n", "a: {}\nb: []\nc: {}\n");
        check("just text", "just text\n");
    }

    #[test]
    fn short_braces_stay_and_long_ones_break() {
        check("a: {b: c,d: [e,f , g]}\n", "a: { b: c, d: [e, f, g] }\n");
        check("a:\n  { b: c,\n    d: e }\n", "a: { b: c, d: e }\n");
        let word = "w".repeat(110);
        check_same(&format!("a: {{ b: {word} }}\n"));
        check(&format!("aa: {{ b: {word} }}\n"), &format!("aa:\n  b: {word}\n"));
        check(&format!("- [{word}, b, {{ c: d }}]\n"), &format!("- - {word}\n  - b\n  - {{ c: d }}\n"));
    }

    #[test]
    fn pairs_in_brackets_and_lonely_keys_in_braces() {
        check("[a: b, c]\n", "[{ a: b }, c]\n");
        check("a: { b, c:, d: text(80, max 400) }\n", "a: { b, c, d: text(80, max 400) }\n");
    }

    #[test]
    fn explicit_keys_become_simple() {
        check("? a\n: b\n? c\n", "a: b\nc:\n");
        let long = "k".repeat(1500);
        check(&format!("? {long}\n: a\nb: c\n"), &format!("? {long}\n: a\nb: c\n"));
    }
}

mod scalars {
    use super::*;

    #[test]
    fn quotes_go_where_they_are_not_needed() {
        check("a: 'b'\n\"c\": \"d e\"\n'f g': h\n", "a: b\nc: d e\nf g: h\n");
        check(
            "a: 'null'\nb: \"true\"\nc: '12'\nd: ~\ne: 2026-01-01\nf: 12:30\n",
            "a: null\nb: true\nc: 12\nd: ~\ne: 2026-01-01\nf: 12:30\n",
        );
        check("a: { b: 12:30, c: '->' }\n", "a: { b: 12:30, c: -> }\n");
    }

    #[test]
    fn quotes_stay_where_they_are_needed() {
        for text in [
            "# no", "a: b", "a #b", "*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "- a", "-", "? a", ":", "a:", " a",
            "a ", "", "{", "[a", ", a", "---", "--- a", "...",
        ] {
            check(&format!("a: '{text}'\n"), &format!("a: \"{text}\"\n"));
            check(&format!("'{text}': a\n"), &format!("\"{text}\": a\n"));
            check(&format!("- '{text}'\n"), &format!("- \"{text}\"\n"));
        }
        check("'<<': a\n", "\"<<\": a\n");
    }

    #[test]
    fn the_kind_of_quotes() {
        check("a: \"'b'\"\n", "a: \"'b'\"\n");
        check("a: '\"b\"'\n", "a: '\"b\"'\n");
        check("a: '\"b'' #'\n", "a: \"\\\"b' #\"\n");
        check("a: ' \\b'\n", "a: ' \\b'\n");
        check("a: \"\\t\\x07\\u2028\\U0001F600\\r\"\n", "a: \"\\t\\x07\\u2028😀\\r\"\n");
        check("a: don't\n", "a: don't\n");
        check("a: x\"y\\z\n", "a: x\"y\\z\n");
    }

    #[test]
    fn braces_need_more_quotes_than_blocks() {
        check("a: { b: 'x, y', c: \"z?\" }\n", "a: { b: \"x, y\", c: \"z?\" }\n");
        check("a: { b: timestamp?, c: d }\n", "a: { b: \"timestamp?\", c: d }\n");
        check("a:\n  b: 'x, y'\n  c: \"z?\"\n", "a:\n  b: x, y\n  c: z?\n");
        check("a: [ '[', 'x]', \"{\" ]\n", "a: [\"[\", \"x]\", \"{\"]\n");
    }

    #[test]
    fn prose_keeps_its_lines() {
        check_same("doc: |\n  One line.\n\n    Another.\nb: 1\n");
        check_same("doc: |-\n  One line.\n  Another.\nb: 1\n");
        check_same("doc: |2\n    Deep.\n  Less.\nb: 1\n");
        check_same("doc: >\n  Some long\n  prose.\n\n  More.\nb: 1\n");
        check("doc: >-\n      Some long\n      prose.\n\n\n\nb: 1\n", "doc: >-\n  Some long\n  prose.\n\nb: 1\n");
        check("doc: \"a\\nb\"\n", "doc: |-\n  a\n  b\n");
        check("doc: |+\n  a\n\n\nb: 1\n", "doc: \"a\\n\\n\\n\"\n\nb: 1\n");
        check("doc: |-\n  a\n", "doc: a\n");
        check("doc: >-\n  a\n", "doc: a\n");
        check("doc: |\r\n  a\r\n  b\r\n", "doc: |\n  a\n  b\n");
        check("- |\n a\n- >\n a\n b\n", "- |\n  a\n- >\n  a\n  b\n");
        check("|\n a\n b\n", "|\n  a\n  b\n");
        check("a: { doc: \"b\\nc\" }\n", "a: { doc: \"b\\nc\" }\n");
        check("doc: a\n  b\n\n  c\n", "doc: |-\n  a b\n  c\n");
    }

    #[test]
    fn long_values_are_not_folded() {
        let long = "word ".repeat(100);
        check_same(&format!("a: {}\n", long.trim()));
        check(&format!("where: a and\n  {}\n", long.trim()), &format!("where: a and {}\n", long.trim()));
    }

    #[test]
    fn unicode() {
        check_same("ü: é  # ñ\n日本: [語, 😀]\n");
    }
}

mod comments {
    use super::*;

    #[test]
    fn own_lines_go_with_the_entry_below() {
        check(
            "# head\na: 1\n    # about b\nb:\n      # about c\n      c: 1\n",
            "# head\na: 1\n# about b\nb:\n  # about c\n  c: 1\n",
        );
        check("- a\n    # about b\n- b\n", "- a\n# about b\n- b\n");
        check("-\n  # about a\n  a: 1\n  # about b\n  b: 2\n", "# about a\n- a: 1\n  # about b\n  b: 2\n");
    }

    #[test]
    fn behind_a_value() {
        check("a: 1 # one\nb: [c]\t# two\n", "a: 1  # one\nb: [c]  # two\n");
        check("a:   # the block\n  b: 1   # the value\n", "a:   # the block\n  b: 1   # the value\n");
        check("a: # the value\n  b\n", "a: b  # the value\n");
        check("a: # above\n  b # behind\n", "# above\na: b  # behind\n");
        check("a: | # prose\n  b\n  c\n", "a: |  # prose\n  b\n  c\n");
        check("a:  # nothing\n", "a:  # nothing\n");
        check("- # about a\n  a: 1\n- # nothing\n- b # b\n", "# about a\n- a: 1\n-  # nothing\n- b  # b\n");
        check("--- # c\na: 1\n... # e\n# f\n", "# c\na: 1\n# e\n# f\n");
    }

    #[test]
    fn alignment_is_kept_where_it_was_meant() {
        check_same("a: 1          # one\nbcd: [e, f]   # two\n");
        check(
            "a: '1'   # one\n'b': 2 # two\nc: {d: e}   # three\n",
            "a: 1     # one\nb: 2  # two\nc: { d: e }  # three\n",
        );
    }

    #[test]
    fn at_the_end_of_blocks() {
        check_same("a:\n  b:\n    c: 1\n    # end of b\n  # end of a\n# end of file\n");
        check_same("a:\n  - b\n  # end of a\nc: 1\n");
        check("a:\n# about a\n\n- | # b\n  b\n- c\n", "a:\n  # about a\n\n  - |  # b\n    b\n  - c\n");
        check("a:\n- # nothing\n- c\n", "a:\n  -  # nothing\n  - c\n");
        check("a:\n- b\n# about c\nc: 1\n", "a:\n  - b\n# about c\nc: 1\n");
        check("a:\n- b: 1\n  c: 2\n  # end of item\n- d\n", "a:\n  - b: 1\n    c: 2\n    # end of item\n  - d\n");
        check("a:\n    b: 1\n  # end of a\nc: 1\n", "a:\n  b: 1\n  # end of a\nc: 1\n");
        check_same("a: 1\n\n# end\n\n# of file\n");
    }

    #[test]
    fn in_place_of_a_value() {
        check_same("a:\n  # not yet\nb: 1\n");
        check_same("a:\n  # not yet\n");
        check_same("a:  # nothing\n  # not yet\n\n  # really\nb: 1\n");
        check_same("-\n  # not yet\n- a\n");
    }

    #[test]
    fn within_braces_they_make_a_block() {
        check("a: { b: c, # one\n  d: [e, f] }\n", "a:\n  b: c  # one\n  d: [e, f]\n");
        check(
            "a: [ # first\n  b,\n  # second\n  c # third\n  # last\n  ] # all\n",
            "a:  # all\n  # first\n  - b\n  # second\n  - c  # third\n  # last\n",
        );
        check("- { a: 1, # one\n    b: 2 } # all\n", "# all\n- a: 1  # one\n  b: 2\n");
        check("- [ # one\n { # two\n a: b } ]\n", "# one\n# two\n- - a: b\n");
        check("a: { # empty\n  }\n", "# empty\na: {}\n");
        check("{ # one\n a: b }\n", "# one\na: b\n");
    }

    #[test]
    fn braces_below_their_key() {
        check("a: # about a\n  { b: c }\n", "a: { b: c }  # about a\n");
        let word = "w".repeat(120);
        check(
            &format!("a:      # about a\n  {{ b: {word}, c: d }}\n"),
            &format!("a:      # about a\n  b: {word}\n  c: d\n"),
        );
        check(&format!("- a\n\n- {{ b: {word} }}     # about b\n"), &format!("- a\n\n# about b\n- b: {word}\n"));
    }

    #[test]
    fn what_looks_like_a_comment_is_none() {
        check("a: b#c\nd: \"# e\"\nf: |\n  # g\n  h\n# i\n", "a: b#c\nd: \"# e\"\nf: |\n  # g\n  h\n# i\n");
    }
}

mod order {
    use super::*;

    #[test]
    fn of_the_file() {
        check(
            "patterns: {}\nentities: {}\nextra: 1\ncatalog: a\nlanguage: 1\nodd: 2\n",
            "language: 1\ncatalog: a\nentities: {}\npatterns: {}\nextra: 1\nodd: 2\n",
        );
    }

    #[test]
    fn of_known_mappings_only() {
        check(
            "entities:\n  B:\n    fields: { z: int, key: int, a: int }\n    key: [z]\n    volume: { growth: 1/s, rows: 5 }\n  A: {}\n",
            "entities:\n  B:\n    key: [z]\n    fields: { z: int, key: int, a: int }\n    volume: { rows: 5, growth: 1/s }\n  A: {}\n",
        );
        check(
            "patterns:\n  p: { rate: { peak: 1/s, mean: 2/s }, by: [a], list: A, with: { x: { first: 3, list: B } } }\n",
            "patterns:\n  p: { list: A, by: [a], with: { x: { list: B, first: 3 } }, rate: { mean: 2/s, peak: 1/s } }\n",
        );
        check(
            "patterns:\n  p:\n    rate: rare\n    atomic:\n      - { set: { b: 1, a: 2 }, by: [x], update: A, each: l in $lines max 5 }\n",
            "patterns:\n  p:\n    atomic:\n      - { each: l in $lines max 5, update: A, by: [x], set: { b: 1, a: 2 } }\n    rate: rare\n",
        );
        check("allow:\n  - { because: b, rule: a }\n", "allow:\n  - { rule: a, because: b }\n");
        check(
            "entities:\n  A:\n    groups:\n      - { rows: { worst: 3, typical: 1 }, by: [a] }\n",
            "entities:\n  A:\n    groups:\n      - { by: [a], rows: { typical: 1, worst: 3 } }\n",
        );
    }

    #[test]
    fn comments_move_with_their_entry_and_headers_stay() {
        check(
            "# The shop.\n\n# the name\ncatalog: a # behind\n\n# the grammar\nlanguage: 1\n# end\n",
            "# The shop.\n\n# the grammar\nlanguage: 1\n\n# the name\ncatalog: a  # behind\n# end\n",
        );
        check(
            "allow:\n  - because: b\n    # about rule\n    rule: a\n",
            "allow:\n  # about rule\n  - rule: a\n    because: b\n",
        );
    }
}

mod refusals {
    use super::*;

    #[test]
    fn what_is_not_yaml() {
        check_refused("a: [b\n", "never closed");
        check_refused("a: b: c\n", "starts another key");
        check_refused("a: \u{7}\n", "not YAML");
    }

    #[test]
    fn what_is_not_of_the_language() {
        check_refused("a: &b c\n", "anchor");
        check_refused("a: *b\n", "alias");
        check_refused("a: !b c\n", "tag");
        check_refused("a: b\n---\nc: d\n", "second document");
        check_refused("? [a]\n: b\n", "where a key is expected");
        check_refused("{ a: b }: c\n", "where a key is expected");
        check_refused(": x\n", "nothing stands where a key is expected");
        check_refused("a: { : b }\n", "nothing stands where a key is expected");
    }
}
