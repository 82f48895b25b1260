/// A kind of store that Keyloom knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// The store that Keyloom brings with it.
    Embedded,
    /// Amazon DynamoDB.
    DynamoDb,
    /// Apache Cassandra; ScyllaDB shares most of its limits.
    Cassandra,
    /// MongoDB.
    MongoDb,
    /// Redis.
    Redis,
    /// Google Firestore.
    Firestore,
}

impl Engine {
    /// All engines, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Embedded, Self::DynamoDb, Self::Cassandra, Self::MongoDb, Self::Redis, Self::Firestore];

    /// The engine's one name, as it is written in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::DynamoDb => "dynamodb",
            Self::Cassandra => "cassandra",
            Self::MongoDb => "mongodb",
            Self::Redis => "redis",
            Self::Firestore => "firestore",
        }
    }

    /// The engine's name as its makers write it, for sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Embedded => "the embedded store",
            Self::DynamoDb => "DynamoDB",
            Self::Cassandra => "Cassandra",
            Self::MongoDb => "MongoDB",
            Self::Redis => "Redis",
            Self::Firestore => "Firestore",
        }
    }

    /// The engine of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_engine() {
        for engine in Engine::ALL {
            assert_eq!(Engine::from_name(engine.name()), Some(engine));
            assert!(engine.title().to_lowercase().contains(engine.name()));
        }
        assert_eq!(Engine::from_name("DynamoDB"), None);
    }
}
