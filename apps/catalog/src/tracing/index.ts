// Spans of the catalog: of records that are booked for traced requests, and of calls of the management API that
// continue a trace. Directory and the other calls of policy are about many requests at once and have none.
export { noteAppended } from './append-spans';
export { beginRestCall, type RestTrace } from './rest-span';
