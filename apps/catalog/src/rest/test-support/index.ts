/** Fixtures of the management API's tests: the app over HTTP, and callers of every role. */
export {
  ADMIN,
  CONSOLE,
  startRest,
  TEST_KEY_RING,
  type Answered,
  type RestServer,
  type Who,
} from './rest-server';
export { chargedOf, createTenant, TENANT_PASSWORD, type Tenant } from './tenant';
export {
  bookMcpRecord,
  bookRecord,
  bookRollup,
  createInvoice,
  createQuarantined,
  createRerate,
} from './usage';
export { objectIdsOf, type Params } from './object-ids';
export { BODIES, NAMING } from './bodies';
