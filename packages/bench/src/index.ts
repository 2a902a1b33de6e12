/**
 * Benchmarks that are run by hand: millions of usage records in the catalog's database, and the
 * management API's speed on them.
 */
export { load, type Load } from './load';
export { timeQueries } from './time-queries';
