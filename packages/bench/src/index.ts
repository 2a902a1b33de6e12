/**
 * Benchmarks, run by hand: usage records by the million in the catalog's database, and how fast the
 * management API answers from them.
 */
export { load, type Load } from './load';
export { timeQueries } from './time-queries';
