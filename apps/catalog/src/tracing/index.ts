// Spans of the catalog: of records that are booked for traced requests, and of calls of the management API that
// continue a trace. Directory and the other calls of policy are about many requests at once and have none.
export { noteAppended } from './append-spans';
export { beginRestCall, type RestTrace } from './rest-span';

/** What spans of this service are told under. */
export const SCOPE = {
  name: 'tollgate',
  version: '0.1.0',
  schemaUrl: 'https://opentelemetry.io/schemas/1.45.0',
};
