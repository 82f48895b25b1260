package a
import x.{A => B, C}
object A extends D { val q = s"SELECT a FROM $t ${x.y} é"
def f(x: Int) = { var z = """
 |SELECT a
 |FROM t""".stripMargin; z += " LIMIT 1"
for (i <- xs) { s.execute(z, i) }; x match { case 1 => "SELECT b FROM t"; case _ => null } } }