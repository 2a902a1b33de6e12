// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The outcome of one attempt, for breakers and latencies; only for requests with Allow.routing. There is
 * no reply, and a lost report does no harm.
 */
export interface AttemptReport {
  'organisationId'?: (string);
  'modelId'?: (string);
  'providerId'?: (string);
  /**
   * as Attempt.outcome
   */
  'outcome'?: (string);
  'latencyMs'?: (number | string | Long);
  /**
   * 0: there was none
   */
  'firstTokenMs'?: (number | string | Long);
  'stream'?: (boolean);
  /**
   * the wait that the upstream asked for; 0: none
   */
  'retryAfterMs'?: (number | string | Long);
  /**
   * the candidate had Candidate.probe
   */
  'probe'?: (boolean);
  /**
   * The conversation (AuthorizeRequest.affinity), with OK of a candidate that was not the first one, or of that with
   * Routing.remember_place: its turns go there from now on. With another outcome: they go back to their first one. Empty: as before.
   */
  'affinity'?: (Buffer | Uint8Array | string);
  /**
   * only with affinity
   */
  'apiKeyId'?: (string);
  /**
   * the routing policy; only with affinity
   */
  'policyId'?: (string);
}

/**
 * The outcome of one attempt, for breakers and latencies; only for requests with Allow.routing. There is
 * no reply, and a lost report does no harm.
 */
export interface AttemptReport__Output {
  'organisationId': (string);
  'modelId': (string);
  'providerId': (string);
  /**
   * as Attempt.outcome
   */
  'outcome': (string);
  'latencyMs': (number);
  /**
   * 0: there was none
   */
  'firstTokenMs': (number);
  'stream': (boolean);
  /**
   * the wait that the upstream asked for; 0: none
   */
  'retryAfterMs': (number);
  /**
   * the candidate had Candidate.probe
   */
  'probe': (boolean);
  /**
   * The conversation (AuthorizeRequest.affinity), with OK of a candidate that was not the first one, or of that with
   * Routing.remember_place: its turns go there from now on. With another outcome: they go back to their first one. Empty: as before.
   */
  'affinity': (Buffer);
  /**
   * only with affinity
   */
  'apiKeyId': (string);
  /**
   * the routing policy; only with affinity
   */
  'policyId': (string);
}
