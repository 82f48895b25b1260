use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::Python, program, expected);
}

#[test]
fn literals_and_constants() {
    asks("Q = 'SELECT a ' 'FROM t'\n", &["SELECT a FROM t"]);
    asks("T = 't'\nQ = ('SELECT a '\n     f'FROM {T} WHERE b = {x.y}')\n", &["SELECT a FROM t WHERE b = ‹y›"]);
    asks("Q = r'SELECT \"a\" FROM t'\n", &["SELECT \"a\" FROM t"]);
    asks("class A:\n    T = 't'\n    Q = 'SELECT a FROM ' + T\n", &["SELECT a FROM t"]);
    asks("Q = 'SELECT a \\\n  FROM t'\n", &["SELECT a   FROM t"]);
    asks("Q = '''\n  SELECT a\n  FROM t\n'''\n", &["\n  SELECT a\n  FROM t\n"]);
}

#[test]
fn formats() {
    asks("def f(t):\n    s.execute('SELECT a FROM %s' % t)\n", &["SELECT a FROM ‹t›"]);
    asks("def f(t):\n    s.execute('SELECT %s FROM %s' % ('a', t))\n", &["SELECT a FROM ‹t›"]);
    asks("def f(t):\n    s.execute('SELECT {} FROM {t}'.format('a', t=t))\n", &["SELECT a FROM ‹t›"]);
    asks(
        "def f(t):\n    s.execute('SELECT a FROM {0}.t WHERE m = {{}}'.format(k))\n",
        &["SELECT a FROM ‹k›.t WHERE m = {}"],
    );
    asks("Q = 'SELECT a FROM {keyspace}.t'\n", &["SELECT a FROM ‹keyspace›.t"]);
}

#[test]
fn markers_of_the_driver() {
    asks("def f(x):\n    s.execute('SELECT a FROM t WHERE b = %(b)s', {'b': 1})\n", &["SELECT a FROM t WHERE b = :b"]);
    asks(
        "def f(x):\n    s.execute('SELECT a FROM t WHERE b = %s AND c IN (%s, %s)', [1, 2, 3])\n",
        &["SELECT a FROM t WHERE b = ? AND c IN (?, ?)"],
    );
    asks(
        "Q = 'SELECT %s FROM %s.t_%s WHERE b = %s'\n",
        &["SELECT ‹argument1› FROM ‹argument2›.t_‹argument3› WHERE b = ?"],
    );
}

#[test]
fn branches_and_lists() {
    asks(
        "def f(x):\n    q = 'SELECT a FROM t'\n    if x:\n        q += ' LIMIT 1'\n    s.execute(q)\n",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "def f(x):\n    s.execute('SELECT a FROM t' + (' LIMIT 1' if x else ''))\n",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "def f(x):\n    p = ['a = ?']\n    if x:\n        p.append('b = ?')\n    s.execute('SELECT c FROM t WHERE ' + ' AND '.join(p))\n",
        &["SELECT c FROM t WHERE a = ?", "SELECT c FROM t WHERE a = ? AND b = ?"],
    );
    asks(
        "def f(x):\n    q = 'DELETE FROM a'\n    if x:\n        q = 'DELETE FROM b'\n    elif y:\n        raise E(q)\n    else:\n        q = 'DELETE FROM c'\n    s.execute(q)\n",
        &["DELETE FROM b", "DELETE FROM c"],
    );
    asks(
        "def f(ids):\n    q = 'SELECT a FROM t WHERE b IN ('\n    for i in ids:\n        q += '?, '\n    s.execute(q)\n",
        &["~SELECT a FROM t WHERE b IN (?, "],
    );
}

#[test]
fn decorators_and_fields() {
    asks("class A:\n    @prepared('SELECT a FROM t')\n    def f(self):\n        pass\n", &["SELECT a FROM t"]);
    asks(
        "class A:\n    def __init__(self, s):\n        self.p = s.prepare('SELECT a FROM t')\n    def f(self):\n        s.execute(self.p, [1])\n",
        &["SELECT a FROM t"],
    );
}

#[test]
fn some_of_several_optional_parts_are_a_combination() {
    asks(
        "def f(x, y):\n    q = 'SELECT a FROM t WHERE k = ?'\n    if x:\n        q += ' AND b = ?'\n    if y:\n        q += ' AND c = ?'\n    s.execute(q)\n",
        &[
            "SELECT a FROM t WHERE k = ?",
            "&SELECT a FROM t WHERE k = ? AND b = ?",
            "SELECT a FROM t WHERE k = ? AND b = ? AND c = ?",
            "&SELECT a FROM t WHERE k = ? AND c = ?",
        ],
    );
    // A part that depends on another one, and two parts that one question decides.
    asks(
        "def f(x, y):\n    q = 'SELECT a FROM t'\n    if x:\n        q += ' WHERE b = ?'\n        if y:\n            q += ' AND c = ?'\n    s.execute(q)\n",
        &["SELECT a FROM t", "SELECT a FROM t WHERE b = ?", "SELECT a FROM t WHERE b = ? AND c = ?"],
    );
    asks(
        "def f(x):\n    s.execute('SELECT a FROM t' + (' WHERE b = ?' if x else '') + (' LIMIT 1' if x else ''))\n",
        &["SELECT a FROM t", "SELECT a FROM t WHERE b = ? LIMIT 1"],
    );
}
