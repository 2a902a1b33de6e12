/**
 * What every room needs to talk to PostgreSQL: transactions, column types, and what a failure means.
 * Knows no table; the schema is `schema/`.
 */
export { inTransaction, transactionOf, type Isolation, type Tx } from './transaction';
export { grpcAnswer, isDatabaseAway, isDataRefused } from './failure';
