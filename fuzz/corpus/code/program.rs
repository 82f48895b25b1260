use scylla::Session;
const Q: &str = "SELECT a \
   FROM t é";
impl A { async fn f(&self, t: &str) {
let q = format!("SELECT {} FROM {t}", 1); for x in xs { s.query(r#"DELETE FROM "t""#, (x,)).await?; } } }