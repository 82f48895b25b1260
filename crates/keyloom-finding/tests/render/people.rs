//! What people read: text and concise.

use keyloom_finding::render::Format::{Concise, Text};
use keyloom_finding::render::Style;
use keyloom_finding::{Finding, Level};

use super::{DUPLICATE, Desk, FULL_FILES, MISSING_RATE, OVERSIZED, PLAIN, check, full};

#[test]
fn nothing_found() {
    check(Text, &[], |_| vec![], "no findings\n");
    check(Concise, &[], |_| vec![], "no findings\n");
}

#[test]
fn text_says_everything() {
    check(
        Text,
        FULL_FILES,
        full,
        r"
note[missing-rate]: the file `b.yaml` can't be opened

error[oversized-item]: an Order can have 500 KB
 --> shop/catalog.yaml:6:14
  |
2 |   Line: { sku: text(80) }
  |           --- each Line begins here
...
6 |       lines: list of Line (3 / 20 / 5000)
  |              ^^^^^^^^^^^^ 5000 lines at worst
  |
 ::: shop/50% off, now.yaml:1:4
  |
1 | é: lines
  |    ----- copied here
  |
  = derivation: 5,000 lines x 100 B = 500 KB
  = limit: 400 KB per item (DynamoDB Developer Guide, service quotas, checked
           2026-11-15)
  = help: keep the lines beside the order; reading an order then takes two reads

1 error, 1 note
today was taken as 2026-11-15 (`--today` changes it)
",
    );
}

#[test]
fn concise_says_one_line() {
    check(
        Concise,
        FULL_FILES,
        full,
        r"
note[missing-rate] the file `b.yaml` can't be opened
shop/catalog.yaml:6:14: error[oversized-item] an Order can have 500 KB (5000 lines at worst)
1 error, 1 note
today was taken as 2026-11-15 (`--today` changes it)
",
    );
}

#[test]
fn the_summary_counts_each_level() {
    check(
        Concise,
        &[("a.yaml", "key: value")],
        |desk| {
            let finding = |level| Finding::new(&DUPLICATE, desk.at(0, "key"), "twice").level(level);
            vec![finding(Level::Error), finding(Level::Error), finding(Level::Warning), finding(Level::Note)]
        },
        r"
a.yaml:1:1: error[duplicate-name] twice
a.yaml:1:1: error[duplicate-name] twice
a.yaml:1:1: warning[duplicate-name] twice
a.yaml:1:1: note[duplicate-name] twice
2 errors, 1 warning, 1 note
",
    );
}

#[test]
fn a_caret_stands_right_after_wide_and_combined_characters() {
    check(
        Text,
        &[("a.yaml", "名前: e\u{301} 👩‍👩‍👧 \tkey: value # ends")],
        |desk| vec![Finding::new(&DUPLICATE, desk.at(0, "key"), "`key` stands twice").label("the second")],
        r"
warning[duplicate-name]: `key` stands twice
 --> a.yaml:1:15
  |
1 | 名前: é 👩👩👧     key: value # ends
  |                    ^^^ the second

1 warning
",
    );
}

#[test]
fn a_place_of_several_lines_ends_with_its_last_word() {
    check(
        Text,
        &[("a.yaml", "entities:\r\n  Case:\r\n    key: case_id\r\n\r\nrest: 1\r\n")],
        |desk| {
            let place = desk.at(0, "Case:\r\n    key: case_id\r\n\r\n");
            vec![Finding::new(&DUPLICATE, place, "Case has no pattern").label("this entity")]
        },
        r"
warning[duplicate-name]: Case has no pattern
 --> a.yaml:2:3
  |
2 | /   Case:
3 | |     key: case_id
  | |________________^ this entity

1 warning
",
    );
}

#[test]
fn a_place_at_the_end_of_the_file() {
    check(
        Text,
        &[("empty.yaml", ""), ("a.yaml", "key: 1\n")],
        |desk| {
            vec![
                Finding::new(&DUPLICATE, desk.bytes(0, 0..0), "the file is empty"),
                Finding::new(&DUPLICATE, desk.bytes(1, 6..7), "a value is missing"),
                Finding::new(&DUPLICATE, desk.bytes(1, 7..7), "the file ends here"),
                Finding::new(&DUPLICATE, desk.bytes(1, 500..9000), "the file ends before"),
            ]
        },
        r"
warning[duplicate-name]: the file is empty
 --> empty.yaml:1:1
  |
1 |
  | ^

warning[duplicate-name]: a value is missing
 --> a.yaml:1:7
  |
1 | key: 1
  |       ^

warning[duplicate-name]: the file ends here
 --> a.yaml:2:1
  |
2 |
  | ^

warning[duplicate-name]: the file ends before
 --> a.yaml:2:1
  |
2 |
  | ^

4 warnings
",
    );
}

#[test]
fn distant_places_of_one_file_are_shown_apart() {
    let text = format!("first: 1\n{}second: 2\n", "\n".repeat(5000));
    check(
        Text,
        &[("a.yaml", &text)],
        |desk| {
            vec![
                Finding::new(&DUPLICATE, desk.at(0, "second"), "defined twice").related(desk.at(0, "first"), "before"),
                Finding::new(&DUPLICATE, desk.at(0, &text), "a place longer than anybody reads"),
            ]
        },
        r"
warning[duplicate-name]: defined twice
    --> a.yaml:5002:1
     |
5002 | second: 2
     | ^^^^^^
     |
    ::: a.yaml:1:1
     |
   1 | first: 1
     | ----- before

warning[duplicate-name]: a place longer than anybody reads
 --> a.yaml:1:1
  |
1 | first: 1
  | ^^^^^^^^

2 warnings
",
    );
}

#[test]
fn long_prose_is_wrapped() {
    check(
        Text,
        &[("a.yaml", "key: value")],
        |desk| {
            let message = "the group of open tasks of one assignee can hold 200,000 rows of 230 B, \
                           which one partition can't serve at 600 reads/s";
            let help = "state the group by month, or spread it:\n  spread: 4\nwhich costs four reads for the \
                        heaviest assignees and changes nothing for all of the others";
            vec![Finding::new(&OVERSIZED, desk.at(0, "value"), message).help(help)]
        },
        r"
error[oversized-item]: the group of open tasks of one assignee can hold 200,000
                       rows of 230 B, which one partition can't serve at 600
                       reads/s
 --> a.yaml:1:6
  |
1 | key: value
  |      ^^^^^
  |
  = help: state the group by month, or spread it:
            spread: 4
          which costs four reads for the heaviest assignees and changes nothing
          for all of the others

1 error
",
    );
}

#[test]
fn a_huge_line_is_not_printed() {
    let minified = format!("{}needle{}", "{\"é\":1},".repeat(100_000), "x".repeat(100_000));
    check(
        Text,
        &[("min.json", &minified), ("a.yaml", "key: value")],
        |desk| {
            vec![
                Finding::new(&DUPLICATE, desk.at(0, "needle"), "found in the haystack").help("format the file"),
                Finding::new(&DUPLICATE, desk.at(1, "key"), "defined twice")
                    .related(desk.at(0, "needle"), "first here"),
                Finding::new(&DUPLICATE, desk.at(0, &minified), "all of it"),
            ]
        },
        r#"
warning[duplicate-name]: found in the haystack
--> min.json:1:800001
 |
 = text: needlexxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
 = help: format the file

warning[duplicate-name]: defined twice
 --> a.yaml:1:1
  |
1 | key: value
  | ^^^
  |
 ::: min.json:1:800001
  |
  = text: needlexxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
  = note: first here

warning[duplicate-name]: all of it
--> min.json:1:1
 |
 = text: {"é":1},{"é":1},{"é":1},{"é":1},{"é":1},...

3 warnings
"#,
    );
}

#[test]
fn a_wide_place_is_marked_as_far_as_the_terminal_reaches() {
    let line = format!("key: {}", "word ".repeat(150));
    check(
        Text,
        &[("a.yaml", &line)],
        |desk| vec![Finding::new(&DUPLICATE, desk.bytes(0, 5..line.len()), "too many words").label("here")],
        r"
warning[duplicate-name]: too many words
 --> a.yaml:1:6
  |
1 | key: word word word word word word word word word word word word word wor...
  |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here

1 warning
",
    );
}

const HOSTILE: &str = "a\u{1b}[31m\u{0}\u{9b}1m\u{202e}z\r\u{7f}";

#[test]
fn text_shows_control_characters() {
    check(
        Text,
        &[("n\u{1b}ame", &format!("{HOSTILE}key: 1"))],
        |desk| {
            let finding = Finding::new(&DUPLICATE, desk.at(0, "key"), format!("message {HOSTILE}\nerror: forged"));
            vec![finding.label(HOSTILE).help(HOSTILE).derivation(HOSTILE).related(desk.at(0, "1"), "one\ntwo")]
        },
        r"
warning[duplicate-name]: message a␛[31m␀�1m�z␍␡
                         error: forged
 --> n␛ame:1:15
  |
1 | a␛[31m␀�1m�z␍␡key: 1
  |     - one two ^^^ a␛[31m␀�1m�z␍␡
  |
  = derivation: a␛[31m␀�1m�z␍␡
  = help: a␛[31m␀�1m�z␍␡

1 warning
",
    );
}

#[test]
fn concise_shows_control_characters() {
    check(
        Concise,
        &[("n\u{1b}ame", &format!("{HOSTILE}key: 1"))],
        |desk| vec![Finding::new(&DUPLICATE, desk.at(0, "key"), format!("message {HOSTILE}\nerror: forged"))],
        r"
n␛ame:1:15: warning[duplicate-name] message a␛[31m␀�1m�z␍␡ error: forged
1 warning
",
    );
}

#[test]
fn colours_change_nothing_else() {
    let desk = Desk::new(FULL_FILES);
    let plain = desk.show(&full(&desk), Text, PLAIN);
    let coloured = desk.show(&full(&desk), Text, Style { color: true, ..PLAIN });
    let mut parts = coloured.split('\u{1b}');
    let mut stripped = parts.next().unwrap().to_owned();
    for part in parts {
        stripped += part.split_once('m').unwrap().1;
    }
    assert_ne!(plain, coloured);
    assert_eq!(plain, stripped);
}

#[test]
fn a_date_that_decided_nothing_is_not_told() {
    check(
        Text,
        &[],
        |_| vec![Finding::new(&MISSING_RATE, None, "how often?")],
        r"
note[missing-rate]: how often?

1 note
",
    );
}
