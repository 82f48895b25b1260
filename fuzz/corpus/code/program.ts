import { A } from './b';
const T: string = 't';
class C extends D { q = `SELECT a FROM ${T} é\n`;
async f(x: number) { let z = 'SELECT b ' + "FROM t"; if (x) { z += ' LIMIT 1'; } else { throw x; }
for (const y of xs) { q.push({ query: z, params: [y, null] }); }
return (await this.c.execute(z, [x], { fetchSize: 3 })).rows; } }