// Runs blocks of SQL in DuckDB, one after the other in one database in memory, in the current folder.
// Standard input is a JSON list of blocks; standard output is a JSON list with one result for each: the
// rows of its last statement, every value as text or null. The folder of the packages is the argument.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';

const require = createRequire(join(process.argv[2], 'package.json'));
const { DuckDBInstance } = require('@duckdb/node-api');

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const results = [];
for (const block of JSON.parse(readFileSync(0, 'utf8'))) {
  const statements = await connection.extractStatements(block);
  let rows = [];
  for (let i = 0; i < statements.count; i++) {
    const prepared = await statements.prepare(i);
    const reader = await prepared.runAndReadAll();
    rows = reader.getRowObjectsJson();
  }
  results.push(rows.map((row) => Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]))));
}
process.stdout.write(JSON.stringify(results));
