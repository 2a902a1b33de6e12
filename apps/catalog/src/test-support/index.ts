/** Fixtures of the catalog's tests: real databases, and rows for them. */
export { startTestDatabases, type TestDatabases } from './databases';
export {
  appendNext,
  entryOf,
  MCP_RESULT,
  mcpEntryOf,
  nextBatch,
  NOON_MS,
  type EntryValues,
} from './entries';
export {
  createBudget,
  createMcpServer,
  createQuota,
  createRateLimit,
  createTenant,
  scopesOf,
  type Tenant,
} from './fixtures';
export { demandNews } from './demand-news';
export { startTestCatalog, TOKENS } from './catalog';
export { until } from './until';
