//! A real Cassandra that says of statements what it thinks of them.

use std::{io, thread};

use keyloom_engines::{Cassandra, Unavailable, cassandra::Options};

use crate::wire::{Connection, Rejection, Reply};

/// What the server says to a statement when it is prepared, or to DDL when it is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Legal,
    /// A SELECT that is rejected, with this message, as it stands and accepted with ALLOW FILTERING.
    NeedsFiltering(String),
    Illegal(String),
    /// It is no CQL.
    Malformed(String),
}

/// The server, and the connections to it.
pub struct Oracle {
    connections: Vec<Connection>,
    _node: Cassandra,
}

/// More than the cores of a small machine: one is on its way while the other is at work.
const CONNECTIONS: usize = 4;

impl Oracle {
    pub fn start() -> Result<Self, Unavailable> {
        let node = Cassandra::start(&Options::default())?;
        let connect = || Connection::open(node.contact_point());
        let connections: io::Result<Vec<_>> = (0..CONNECTIONS).map(|_| connect()).collect();
        let connections = connections.map_err(|error| Unavailable::Broken(error.to_string()))?;
        Ok(Self { connections, _node: node })
    }

    /// Makes a keyspace in place of the one of that name, and uses it.
    pub fn fresh_keyspace(&mut self, name: &str) {
        self.must(&format!("DROP KEYSPACE IF EXISTS {name}"));
        self.must(&format!(
            "CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        ));
        for connection in &mut self.connections {
            connection.execute(&format!("USE {name}")).expect("the server is there").expect("the keyspace is there");
        }
    }

    /// Executes DDL.
    pub fn execute(&mut self, statement: &str) -> Answer {
        let reply = self.connections[0].execute(statement).expect("the server is there");
        answer(reply)
    }

    fn must(&mut self, statement: &str) {
        assert_eq!(self.execute(statement), Answer::Legal, "{statement}");
    }

    /// Asks about statements that read or write rows, many at once; the answers are in their order.
    pub fn prepare(&mut self, statements: &[&str]) -> Vec<Answer> {
        let replies = self.prepare_all(statements);
        let filtered: Vec<(usize, String)> = statements
            .iter()
            .zip(&replies)
            .enumerate()
            .filter(|(_, (statement, reply))| could_need_filtering(statement, reply))
            .map(|(place, (statement, _))| (place, format!("{statement} ALLOW FILTERING")))
            .collect();
        let texts: Vec<&str> = filtered.iter().map(|(_, statement)| statement.as_str()).collect();
        let second = self.prepare_all(&texts);

        let mut answers: Vec<Answer> = replies.into_iter().map(answer).collect();
        for ((place, _), reply) in filtered.iter().zip(second) {
            if let (Ok(()), Answer::Illegal(message)) = (reply, &answers[*place]) {
                answers[*place] = Answer::NeedsFiltering(message.clone());
            }
        }
        answers
    }

    fn prepare_all(&mut self, statements: &[&str]) -> Vec<Reply> {
        let share = statements.len().div_ceil(self.connections.len()).max(1);
        thread::scope(|scope| {
            let parts: Vec<_> = statements
                .chunks(share)
                .zip(&mut self.connections)
                .map(|(part, connection)| scope.spawn(move || connection.prepare(part.iter().copied())))
                .collect();
            let replies = parts.into_iter().map(|part| part.join().expect("no thread panics"));
            replies.flat_map(|replies| replies.expect("the server is there")).collect()
        })
    }
}

fn could_need_filtering(statement: &str, reply: &Reply) -> bool {
    let Err(rejection) = reply else { return false };
    statement.starts_with("SELECT") && !statement.ends_with("ALLOW FILTERING") && !rejection.is_syntax_error()
}

fn answer(reply: Reply) -> Answer {
    match reply {
        Ok(()) => Answer::Legal,
        Err(rejection) if rejection.is_syntax_error() => Answer::Malformed(rejection.message),
        // Preparing a statement can also run into a bug of the server: that is a rejection like others, told apart by
        // its words.
        Err(Rejection { code: 0, message }) => Answer::Illegal(format!("server error: {message}")),
        Err(rejection) => Answer::Illegal(rejection.message),
    }
}
