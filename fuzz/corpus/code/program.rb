require 'cassandra'
class A
  Q = "SELECT a FROM #{t} é"
  def f(x)
    s = <<~CQL
      SELECT a
      FROM t
    CQL
    xs.each { |i| s.execute(Q + ' LIMIT 1', i) }
  end
end
