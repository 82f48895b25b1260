import a.B
const val T = "t"
class A : C() { val q = "SELECT a FROM $T ${x.y} é"
fun f(x: Int) { var z = """
 |SELECT a
 |FROM $T
""".trimMargin()
 if (x > 1) z += " LIMIT 1"
when (x) { 1 -> s.execute(z)
 else -> xs.forEach { s.execute("DELETE FROM t WHERE a = ?", it) } } } }