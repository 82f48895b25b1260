const cassandra = require('cassandra-driver');

async function find(client, name) {
  return client.execute(`SELECT age FROM users WHERE name = '${name}'`);
}

async function grow(client, name, age) {
  return client.execute(`UPDATE users SET age = ${age} WHERE name = ?`, [name], { prepare: true });
}
