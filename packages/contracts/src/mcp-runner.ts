/** What edge, catalog and runner agree on about the runner's HTTP interface. */

/** Of requests: who owns their sessions, 1 to 200 printable characters. */
export const RUNNER_PRINCIPAL_HEADER = 'x-tollgate-principal';
/** Of an answer that begins a session: the base URL of the replica that has it. */
export const RUNNER_REPLICA_HEADER = 'x-tollgate-runner';
/** Of refusals: that the runner itself refuses and not the server, and one of RUNNER_REFUSALS. */
export const RUNNER_REFUSAL_HEADER = 'x-tollgate-refusal';

export const RUNNER_REFUSALS = [
  'catalog_unavailable',
  'invalid_request',
  'method_not_allowed',
  'not_found',
  'server_busy',
  'server_ended',
  'server_refused',
  'server_silent',
  'session_not_found',
  'too_many_sessions',
  'unauthorized',
] as const;
export type RunnerRefusal = (typeof RUNNER_REFUSALS)[number];
