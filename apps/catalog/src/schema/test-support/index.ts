/** What the tests of migrations stand on: a filled database, and what PostgreSQL says of its schema. */
export { brokenBy, type Schema } from './expansion';
export { fillEmptyTables } from './fill';
export { columnsOf, rowsOf, rulesOf, schemaOf, type Column, type Rows, type Rule } from './schema';
