//! JSON as the server's library reads it: one value, and whatever follows it is not looked at.

/// How deep arrays and objects may lie within each other.
const DEPTH: usize = 128;

/// A JSON value.
#[derive(Debug, Clone)]
pub(in crate::resolve) enum Value {
    Null,
    Boolean,
    Number(Number),
    String(String),
    Array(Vec<Value>),
    /// In the order written; of a key that comes twice, the last counts.
    Object(Vec<(String, Value)>),
}

/// A number as it is written.
#[derive(Debug, Clone)]
pub(in crate::resolve) struct Number {
    pub(super) text: String,
    /// Whether it has neither a point nor an exponent.
    pub(super) is_whole: bool,
}

/// Reads one value.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { text, at: 0 };
    reader.value(0)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault<T>(&self) -> Result<T, String> {
        Err(format!("the document is no JSON at byte {}", self.at))
    }

    fn take(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return self.fault();
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH {
            return self.fault();
        }
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Boolean),
            Some(b'f') => self.word("false", Value::Boolean),
            Some(b'n') => self.word("null", Value::Null),
            _ => self.fault(),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, String> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(after) = rest.strip_prefix(word) else { return self.fault() };
        if after.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
            return self.fault();
        }
        self.at += word.len();
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.take(b'{')?;
        let mut entries: Vec<(String, Value)> = Vec::new();
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(entries));
        }
        loop {
            self.skip_blanks();
            let key = self.string()?;
            self.skip_blanks();
            self.take(b':')?;
            let value = self.value(depth + 1)?;
            entries.push((key, value));
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => break,
            }
        }
        self.take(b'}')?;
        // Of a key that comes twice the last value counts.
        let mut seen = std::collections::HashSet::new();
        let mut kept: Vec<(String, Value)> =
            entries.into_iter().rev().filter(|(key, _)| seen.insert(key.clone())).collect();
        kept.reverse();
        Ok(Value::Object(kept))
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.take(b'[')?;
        let mut values = Vec::new();
        self.skip_blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => break,
            }
        }
        self.take(b']')?;
        Ok(Value::Array(values))
    }

    fn string(&mut self) -> Result<String, String> {
        self.take(b'"')?;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(letter) = rest.chars().next() else { return self.fault() };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(out),
                '\\' => self.escape(&mut out)?,
                letter if u32::from(letter) < 0x20 => return self.fault(),
                letter => out.push(letter),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let Some(byte) = self.peek() else { return self.fault() };
        self.at += 1;
        out.push(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
                let Ok(code) = u32::from_str_radix(digits, 16) else { return self.fault() };
                self.at += 4;
                // Halves of a pair are not put together here; no check looks at what they would mean.
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return self.fault(),
        });
        Ok(())
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits();
        let leading_zero = self.text.as_bytes().get(self.at - whole) == Some(&b'0') && whole > 1;
        if whole == 0 || leading_zero {
            return self.fault();
        }
        let mut is_whole = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_whole = false;
            if self.digits() == 0 {
                return self.fault();
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            is_whole = false;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fault();
            }
        }
        let text = self.text.get(start..self.at).unwrap_or_default().to_owned();
        Ok(Value::Number(Number { text, is_whole }))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }
}
