const cassandra = require('cassandra-driver');

const TABLE = 'users';

async function find(client, name) {
  return client.execute(`SELECT age FROM ${TABLE} WHERE name = ?`, [name], { prepare: true });
}

async function findAll(client, names) {
  const marks = names.map(() => '?').join(', ');
  return client.execute(`SELECT age FROM users WHERE name IN (${marks})`, names, { prepare: true });
}

async function page(client, name, size) {
  return client.execute(`SELECT age FROM users WHERE name = ? LIMIT ${size}`, [name], { prepare: true });
}
