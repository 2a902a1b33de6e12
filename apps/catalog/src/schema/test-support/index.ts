/**
 * Fixtures of the migrations' tests: a database with rows, and PostgreSQL's description of its
 * schema.
 */
export { incompatibilitiesOf, type Schema } from './incompatibilities';
export { fillEmptyTables } from './fill-empty-tables';
export { columnsOf, rowsOf, rulesOf, schemaOf, type Column, type Rows, type Rule } from './schema';
