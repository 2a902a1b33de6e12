/**
 * What every room needs to use PostgreSQL: transactions, column types, and the meaning of failures.
 * Knows no table; those are listed in `schema/`.
 */
export { inTransaction, transactionOf, type Isolation, type Tx } from './transaction';
export { grpcAnswer, isDatabaseAway, isDataRefused } from './failure';
export { scraped, type Scraped } from './scraped';
