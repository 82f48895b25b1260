use crate::Span;
use crate::ast::{CqlType, Native, QualifiedName, TypeKind};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};
use super::words::is_reserved_type;

impl Parser<'_> {
    /// A type.
    pub fn cql_type(&mut self) -> Parsed<CqlType> {
        self.deeper(Self::cql_type_here)
    }

    fn cql_type_here(&mut self) -> Parsed<CqlType> {
        let token = self.token(0);
        let start = token.span;
        if token.kind == TokenKind::String {
            let class = self.string_text();
            return Ok(CqlType { kind: TypeKind::Custom(class), span: start });
        }
        if token.kind == TokenKind::Word && self.token(1).kind == TokenKind::Less {
            let word = self.text_of(token).to_ascii_lowercase();
            if let "list" | "set" | "map" | "tuple" | "vector" | "frozen" = word.as_str() {
                self.at += 2;
                let kind = self.parameters(&word)?;
                self.expect(TokenKind::Greater, "`>`")?;
                return Ok(CqlType { kind, span: start.to(self.last_span()) });
            }
        }
        if token.kind == TokenKind::Word
            && let Some(native) = native(self.text_of(token))
            && self.token(1).kind != TokenKind::Dot
        {
            self.step();
            return Ok(CqlType { kind: TypeKind::Native(native), span: start });
        }
        let name = self.type_name().map_err(|fault| self.as_type(fault))?;
        let span = name.span();
        Ok(CqlType { kind: TypeKind::Named(name), span })
    }

    /// What stands between `<` and `>`.
    fn parameters(&mut self, word: &str) -> Parsed<TypeKind> {
        Ok(match word {
            "list" => TypeKind::List(Box::new(self.cql_type()?)),
            "set" => TypeKind::Set(Box::new(self.cql_type()?)),
            "frozen" => TypeKind::Frozen(Box::new(self.cql_type()?)),
            "map" => {
                let key = self.cql_type()?;
                self.expect(TokenKind::Comma, "`,` and the type of the values")?;
                TypeKind::Map(Box::new(key), Box::new(self.cql_type()?))
            }
            "tuple" => TypeKind::Tuple(self.list(Self::cql_type)?),
            _ => {
                let element = self.cql_type()?;
                self.expect(TokenKind::Comma, "`,` and the number of elements")?;
                TypeKind::Vector(Box::new(element), self.vector_length()?)
            }
        })
    }

    fn vector_length(&mut self) -> Parsed<u32> {
        let token = self.token(0);
        if self.eat_holes() {
            return Ok(0);
        }
        let span = self.expect(TokenKind::Integer, "the number of elements")?;
        // What is less than one is for the schema to refuse: it is well-formed.
        match self.text_of(token).parse::<i32>() {
            Ok(length) => Ok(u32::try_from(length).unwrap_or(0)),
            Err(_) => Err(self.fault(span, "a vector can't have that many elements".to_owned(), None)),
        }
    }

    /// A type of the language itself: the only ones that CAST knows.
    pub fn native_type(&mut self) -> Parsed<CqlType> {
        let here = self.at;
        let of = self.cql_type()?;
        if matches!(of.kind, TypeKind::Native(_)) || matches!(&of.kind, TypeKind::Named(name) if name.name.unknown) {
            return Ok(of);
        }
        self.at = here;
        Err(self.unexpected("a type of CQL itself"))
    }

    /// The name of a user-defined type.
    pub fn type_name(&mut self) -> Parsed<QualifiedName> {
        let token = self.token(0);
        let name = self.qualified("a type")?;
        let last = self.last_span();
        let written = &self.text[last.bytes()];
        let bare = !written.starts_with('"');
        if bare && (is_reserved_type(written) || native(written).is_some()) {
            return Err(self.type_name_fault(last, written));
        }
        // Words that are names elsewhere and yet no types: the server's grammar leaves them out.
        let never = ["ttl", "count", "writetime", "maxwritetime", "cast", "json", "distinct"];
        if bare && never.iter().any(|word| written.eq_ignore_ascii_case(word)) {
            return Err(self.type_name_fault(token.span.to(last), written));
        }
        Ok(name)
    }

    /// A word that was meant as a type of a column: quotes would only ask for a type that nobody made.
    fn as_type(&self, mut fault: Box<super::SyntaxFault>) -> Box<super::SyntaxFault> {
        let written = self.text[fault.span.bytes()].to_ascii_lowercase();
        let meant = match written.as_str() {
            "json" | "enum" | "macaddr" => "text",
            "byte" => "tinyint",
            "bitstring" => "blob",
            "interval" => "duration",
            _ => return fault,
        };
        fault.message = format!("CQL has no type `{written}`");
        fault.help = Some(format!("make it `{meant}`"));
        fault
    }

    fn type_name_fault(&self, span: Span, written: &str) -> Box<super::SyntaxFault> {
        self.fault(span, format!("`{written}` can't name a type"), Some("put it in double quotes to use it as a name"))
    }
}

/// The type of the language that a word names.
pub(super) fn native(word: &str) -> Option<Native> {
    const NATIVES: [(&str, Native); 21] = [
        ("ascii", Native::Ascii),
        ("bigint", Native::Bigint),
        ("blob", Native::Blob),
        ("boolean", Native::Boolean),
        ("counter", Native::Counter),
        ("date", Native::Date),
        ("decimal", Native::Decimal),
        ("double", Native::Double),
        ("duration", Native::Duration),
        ("float", Native::Float),
        ("inet", Native::Inet),
        ("int", Native::Int),
        ("smallint", Native::Smallint),
        ("text", Native::Text),
        ("time", Native::Time),
        ("timestamp", Native::Timestamp),
        ("timeuuid", Native::Timeuuid),
        ("tinyint", Native::Tinyint),
        ("uuid", Native::Uuid),
        ("varchar", Native::Text),
        ("varint", Native::Varint),
    ];
    NATIVES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, native)| *native)
}
