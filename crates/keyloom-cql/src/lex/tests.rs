#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use super::{TokenKind, lex};

/// Each token as its kind's first letters and its text, which is short enough to compare.
fn tokens(text: &str) -> String {
    let tokens = lex(text);
    let shown = tokens.iter().filter(|token| token.kind != TokenKind::End);
    shown.map(|token| format!("{:?}:{}", token.kind, &text[token.span.bytes()])).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_stands_together_is_split() {
    assert_eq!(tokens("a=?and"), "Word:a Equal:= Question:? Word:and");
    assert_eq!(tokens("?WHERE"), "Question:? Word:WHERE");
    assert_eq!(tokens(")VALUES("), "CloseRound:) Word:VALUES OpenRound:(");
    assert_eq!(tokens("10ALLOW"), "Integer:10 Word:ALLOW");
    assert_eq!(
        tokens("a<=b>=c!=d<e"),
        "Word:a LessOrEqual:<= Word:b GreaterOrEqual:>= Word:c NotEqual:!= Word:d Less:< Word:e"
    );
    assert_eq!(tokens("list<list<int>>"), "Word:list Less:< Word:list Less:< Word:int Greater:> Greater:>");
    assert_eq!(tokens("c+=1 c-=1"), "Word:c PlusEqual:+= Integer:1 Word:c MinusEqual:-= Integer:1");
    assert_eq!(tokens(":name ::"), "Colon:: Word:name Colon:: Colon::");
}

#[test]
fn comments_and_blanks_are_left_out() {
    assert_eq!(tokens("\u{feff}a -- b\r\n// c\n/* d ; ' */ e--"), "Word:a Word:e");
    assert_eq!(tokens("a /* b"), "Word:a Unclosed:/* b");
    assert_eq!(tokens("5--3"), "Integer:5");
}

#[test]
fn quotes_are_doubled() {
    assert_eq!(
        tokens("'it''s' \"a\"\"b\" $$ ' $ $$ ''"),
        "String:'it''s' Quoted:\"a\"\"b\" Dollars:$$ ' $ $$ String:''"
    );
    assert_eq!(tokens("'é' \"ü\""), "String:'é' Quoted:\"ü\"");
    assert_eq!(tokens("'a"), "Unclosed:'a");
    assert_eq!(tokens("$$a$"), "Unclosed:$$a$");
}

#[test]
fn numbers() {
    assert_eq!(
        tokens("1 -2 1.5 1. 1e5 -1E-3 1.2e+3"),
        "Integer:1 Integer:-2 Float:1.5 Float:1. Float:1e5 Float:-1E-3 Float:1.2e+3"
    );
    assert_eq!(tokens("1..2"), "Integer:1 Range:.. Integer:2");
    assert_eq!(tokens("1...2"), "Float:1. Range:.. Integer:2");
    assert_eq!(tokens("a-1"), "Word:a Integer:-1");
    assert_eq!(tokens("a - b"), "Word:a Minus:- Word:b");
    assert_eq!(tokens("-NaN -infinity -nano"), "Float:-NaN Float:-infinity Minus:- Word:nano");
    assert_eq!(tokens("0xCAFE 0x 0Xff"), "Blob:0xCAFE Blob:0x Blob:0Xff");
    assert_eq!(tokens("1e"), "Integer:1 Word:e");
}

#[test]
fn uuids() {
    let uuid = "8a7b2c1d-0000-1000-8000-00805f9b34fb";
    assert_eq!(tokens(uuid), format!("Uuid:{uuid}"));
    let letters = "abcdefab-0000-1000-8000-00805f9b34fb";
    assert_eq!(tokens(letters), format!("Uuid:{letters}"));
    assert_eq!(tokens("abcdefab-00"), "Word:abcdefab Integer:-00");
}

#[test]
fn durations() {
    for duration in
        ["1h", "1h30m", "-12mo2d", "2Y", "5MS", "3us", "4µs", "5ns", "P1D", "P1Y2M3DT4H5M6S", "PT5M", "P2W", "-P1D"]
    {
        assert_eq!(tokens(duration), format!("Duration:{duration}"));
    }
    assert_eq!(tokens("P0001-02-03T04:05:06"), "Duration:P0001-02-03T04:05:06");
    assert_eq!(tokens("P"), "Word:P");
    assert_eq!(tokens("P1"), "Word:P1");
    assert_eq!(tokens("PT"), "Word:PT");
    assert_eq!(tokens("P1Dx p1d"), "Word:P1Dx Word:p1d");
}

#[test]
fn holes_stand_anywhere() {
    assert_eq!(tokens("\u{fffc}t\u{fffc}"), "Hole:\u{fffc}t\u{fffc}");
    assert_eq!(tokens("users_\u{fffc}a.b c\u{fffc}_x"), "Word:users_\u{fffc}a.b c\u{fffc}_x");
    assert_eq!(tokens("'\u{fffc}it's\u{fffc}'"), "String:'\u{fffc}it's\u{fffc}'");
    assert_eq!(tokens("\"\u{fffc}n\u{fffc}_x\""), "Quoted:\"\u{fffc}n\u{fffc}_x\"");
    assert_eq!(tokens("1\u{fffc}n\u{fffc}"), "Integer:1\u{fffc}n\u{fffc}");
    assert_eq!(tokens("?\u{fffc}n\u{fffc}"), "Question:? Hole:\u{fffc}n\u{fffc}");
    assert_eq!(tokens("\u{fffc}a\u{fffc}\u{fffc}b\u{fffc}"), "Hole:\u{fffc}a\u{fffc}\u{fffc}b\u{fffc}");
    assert_eq!(tokens("a\u{fffc}b"), "Word:a Stray:\u{fffc} Word:b");
}

#[test]
fn what_begins_nothing_is_a_token_too() {
    assert_eq!(tokens("a # “b” _c"), "Word:a Stray:# Stray:“ Word:b Stray:” Stray:_ Word:c");
}
