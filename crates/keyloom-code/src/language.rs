//! Which languages are read, and how their files are told.

/// A programming language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the name of a language")]
pub enum Language {
    Go,
    Java,
    Kotlin,
    Scala,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Rust,
    CSharp,
    Haskell,
    Ruby,
    Php,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 13] = [
        Self::Go,
        Self::Java,
        Self::Kotlin,
        Self::Scala,
        Self::Python,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Rust,
        Self::CSharp,
        Self::Haskell,
        Self::Ruby,
        Self::Php,
    ];

    /// The language of a file, by the ending of its name.
    pub fn of(file_name: &str) -> Option<Self> {
        let (_, ending) = file_name.rsplit_once('.')?;
        Some(match ending {
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "scala" | "sc" => Self::Scala,
            "py" | "pyi" => Self::Python,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "rs" => Self::Rust,
            "cs" => Self::CSharp,
            "hs" => Self::Haskell,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
            Self::Scala => tree_sitter_scala::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Haskell => tree_sitter_haskell::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
        }
        .into()
    }
}
