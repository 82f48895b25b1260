//! What an engineer would write on the same driver, with the statements that the store has prepared.

use keyloom_bench::verbs::{BY_HAND, NOW, TOGETHER, Verbs, payload, sort, user};
use scylla::{
    client::session::Session,
    statement::{
        batch::{Batch, BatchType},
        prepared::PreparedStatement,
    },
};

use crate::{KEYSPACE, session};

/// The session, and the statements.
pub(crate) struct ByHand {
    session: Session,
    get: PreparedStatement,
    slice: PreparedStatement,
    put: PreparedStatement,
    decide_absent: PreparedStatement,
    decide: PreparedStatement,
}

/// Rows that never end.
const NEVER: i64 = i64::MAX;

impl ByHand {
    pub(crate) async fn open(point: &str) -> Self {
        let session = session::connect(point).await;
        let known = "SELECT query_string FROM system.prepared_statements";
        let known = session.query_unpaged(known, ()).await.unwrap().into_rows_result().unwrap();
        let known: Vec<String> = known.rows::<(String,)>().unwrap().map(|row| row.unwrap().0).collect();
        let prepare = async |text: &str| {
            let text = text.replace("KEYSPACE", &format!("\"{KEYSPACE}\""));
            assert!(known.contains(&text), "the store has not prepared this, but:\n{}", known.join("\n"));
            session.prepare(text).await.unwrap()
        };
        let put = r#"SET "kl_v" = ?, "kl_x" = ?, "payload" = ? WHERE "user" = ?"#;
        let decide = format!(r#"UPDATE KEYSPACE."accounts" USING TTL ? {put} IF "kl_v" = ? AND "kl_x""#);
        Self {
            get: prepare(
                r#"SELECT "kl_v", "kl_x", "payload" FROM KEYSPACE."timeline" WHERE "user" = ? AND "number" = ?"#,
            )
            .await,
            slice: prepare(
                r#"SELECT "number", "kl_v", "kl_x", "payload" FROM KEYSPACE."timeline" WHERE "user" = ? LIMIT ?"#,
            )
            .await,
            put: prepare(&format!(r#"UPDATE KEYSPACE."timeline" USING TIMESTAMP ? AND TTL ? {put} AND "number" = ?"#))
                .await,
            decide_absent: prepare(&format!("{decide} = ?")).await,
            decide: prepare(&format!("{decide} > ?")).await,
            session,
        }
    }

    pub(crate) async fn requests(&self) -> u64 {
        session::requests(&self.session).await
    }

    fn row(user: String, number: u64, version: u64) -> Row {
        let version = i64::try_from(version).unwrap();
        (version + 1, 0, version, NEVER, payload(number), user, sort(number))
    }
}

/// Timestamp, time to live, version, end, payload, user, number.
type Row = (i64, i32, i64, i64, Vec<u8>, String, i64);

impl Verbs for ByHand {
    async fn get(&self, number: u64) {
        let key = (user(BY_HAND, number), sort(number));
        let answer = self.session.execute_unpaged(&self.get, key).await.unwrap().into_rows_result().unwrap();
        let (_, end, payload) = answer.single_row::<(i64, i64, Vec<u8>)>().unwrap();
        assert!(!payload.is_empty() && end > NOW.0);
    }

    async fn slice(&self, number: u64) {
        let answer = self.session.execute_unpaged(&self.slice, (user(BY_HAND, number), 100)).await.unwrap();
        let answer = answer.into_rows_result().unwrap();
        let rows = answer.rows::<(i64, i64, i64, Vec<u8>)>().unwrap();
        let rows: Vec<(i64, i64, Vec<u8>)> = rows
            .map(Result::unwrap)
            .filter(|(_, _, end, _)| *end > NOW.0)
            .map(|(number, version, _, payload)| (number, version, payload))
            .collect();
        assert_eq!(rows.len(), 100);
    }

    async fn place(&self, number: u64, version: u64) {
        let row = Self::row(user(BY_HAND, number), number, version);
        self.session.execute_unpaged(&self.put, row).await.unwrap();
    }

    async fn place_together(&self, number: u64, version: u64) {
        let rows: Vec<Row> =
            (number..number + TOGETHER).map(|at| Self::row(user(BY_HAND, at), number, version)).collect();
        let statements = rows.iter().map(|_| self.put.clone().into()).collect();
        let batch = Batch::new_with_statements(BatchType::Logged, statements);
        self.session.batch(&batch, rows).await.unwrap();
    }

    async fn decide(&self, before: u64, version: u64) {
        let (payload, version) = (payload(version), i64::try_from(version).unwrap());
        let answer = if before == 0 {
            let cells = (0, version, NEVER, payload, BY_HAND, None::<i64>, None::<i64>);
            self.session.execute_unpaged(&self.decide_absent, cells).await
        } else {
            let cells = (0, version, NEVER, payload, BY_HAND, i64::try_from(before).unwrap(), NOW.0);
            self.session.execute_unpaged(&self.decide, cells).await
        };
        let answer = answer.unwrap().into_rows_result().unwrap();
        // Only one that was not applied has more columns.
        let (applied,) = answer.single_row::<(bool,)>().unwrap();
        assert!(applied);
    }
}
