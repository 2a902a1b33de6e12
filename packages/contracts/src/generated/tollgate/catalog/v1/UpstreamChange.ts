// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

/**
 * One model at its provider, as requests with a routing policy find it.
 */
export interface UpstreamChange {
  'organisationId'?: (string);
  'providerId'?: (string);
  'modelId'?: (string);
  /**
   * CLOSED, OPEN, HALF_OPEN
   */
  'state'?: (string);
  /**
   * what the last attempt came to: HTTP_503, TIMEOUT, …; OK when it closed
   */
  'reason'?: (string);
  /**
   * of the change, by the counters' store; later changes win
   */
  'atMs'?: (number | string | Long);
  /**
   * while open: when it is probed; 0: not open
   */
  'untilMs'?: (number | string | Long);
  /**
   * the upstream asked for a pause; 0: none
   */
  'cooldownUntilMs'?: (number | string | Long);
  /**
   * within the window that decided
   */
  'attempts'?: (number | string | Long);
  'failures'?: (number | string | Long);
  /**
   * from when it counts as closed, when nothing more is heard; 0: never
   */
  'expiresAtMs'?: (number | string | Long);
}

/**
 * One model at its provider, as requests with a routing policy find it.
 */
export interface UpstreamChange__Output {
  'organisationId': (string);
  'providerId': (string);
  'modelId': (string);
  /**
   * CLOSED, OPEN, HALF_OPEN
   */
  'state': (string);
  /**
   * what the last attempt came to: HTTP_503, TIMEOUT, …; OK when it closed
   */
  'reason': (string);
  /**
   * of the change, by the counters' store; later changes win
   */
  'atMs': (number);
  /**
   * while open: when it is probed; 0: not open
   */
  'untilMs': (number);
  /**
   * the upstream asked for a pause; 0: none
   */
  'cooldownUntilMs': (number);
  /**
   * within the window that decided
   */
  'attempts': (number);
  'failures': (number);
  /**
   * from when it counts as closed, when nothing more is heard; 0: never
   */
  'expiresAtMs': (number);
}
