from cassandra import x as y
T = 't'
class A(B):
    Q = 'SELECT a ' f'FROM {T} é'
    def f(self, x):
        q = 'SELECT %s FROM {}'.format(x) % (1,)
        if x:
            q += ' LIMIT 1'
        else:
            raise E()
        for r in self.s.execute(q, [x, None]):
            pass
        return ' AND '.join(['a', "b\n"])
