using Cassandra; class A : B { const string Q = "SELECT a " + T; void F(string t) {
var q = $"SELECT {t} FROM é {{}}"; var v = @"SELECT ""a"" FROM t"; foreach (var x in xs) { s.Execute(q); } } }