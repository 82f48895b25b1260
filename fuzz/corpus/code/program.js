'use strict';
const d = require('cassandra-driver');
const q = ['a', 'b'].join(' AND ');
function f(x) { return c.execute(`SELECT a FROM t WHERE ${q} é`, [x]); }