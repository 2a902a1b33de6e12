// Original file: protos/tollgate/screening/v1/screening.proto

import type { Long } from '@grpc/proto-loader';

export interface AskingRule {
  /**
   * the policy's identifier
   */
  'policy'?: (string);
  'id'?: (string);
  /**
   * of the policy
   */
  'version'?: (number | string | Long);
}

export interface AskingRule__Output {
  /**
   * the policy's identifier
   */
  'policy': (string);
  'id': (string);
  /**
   * of the policy
   */
  'version': (number);
}
