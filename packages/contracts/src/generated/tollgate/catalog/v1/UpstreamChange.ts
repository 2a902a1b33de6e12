// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Breaker and cooldown of one model at its provider.
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
   * outcome of the last attempt: HTTP_503, TIMEOUT, …; OK when it closed
   */
  'reason'?: (string);
  /**
   * of the change, by the clock of Redis; later changes win
   */
  'atMs'?: (number | string | Long);
  /**
   * while open: when it can be probed; 0: not open
   */
  'untilMs'?: (number | string | Long);
  /**
   * the upstream asked for a pause; 0: none
   */
  'cooldownUntilMs'?: (number | string | Long);
  /**
   * within the breaker's window
   */
  'attempts'?: (number | string | Long);
  'failures'?: (number | string | Long);
  /**
   * when it counts as closed without further reports; 0: never
   */
  'expiresAtMs'?: (number | string | Long);
}

/**
 * Breaker and cooldown of one model at its provider.
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
   * outcome of the last attempt: HTTP_503, TIMEOUT, …; OK when it closed
   */
  'reason': (string);
  /**
   * of the change, by the clock of Redis; later changes win
   */
  'atMs': (number);
  /**
   * while open: when it can be probed; 0: not open
   */
  'untilMs': (number);
  /**
   * the upstream asked for a pause; 0: none
   */
  'cooldownUntilMs': (number);
  /**
   * within the breaker's window
   */
  'attempts': (number);
  'failures': (number);
  /**
   * when it counts as closed without further reports; 0: never
   */
  'expiresAtMs': (number);
}
