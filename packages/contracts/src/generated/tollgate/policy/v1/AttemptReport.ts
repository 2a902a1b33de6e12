// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How one attempt went, for breakers and latencies. Only of requests with Allow.routing. Nothing is
 * answered, and nothing depends on a report that is lost.
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
   * 0: none came
   */
  'firstTokenMs'?: (number | string | Long);
  'stream'?: (boolean);
  /**
   * the upstream's own wait; 0: it named none
   */
  'retryAfterMs'?: (number | string | Long);
  /**
   * the candidate had Candidate.probe
   */
  'probe'?: (boolean);
}

/**
 * How one attempt went, for breakers and latencies. Only of requests with Allow.routing. Nothing is
 * answered, and nothing depends on a report that is lost.
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
   * 0: none came
   */
  'firstTokenMs': (number);
  'stream': (boolean);
  /**
   * the upstream's own wait; 0: it named none
   */
  'retryAfterMs': (number);
  /**
   * the candidate had Candidate.probe
   */
  'probe': (boolean);
}
