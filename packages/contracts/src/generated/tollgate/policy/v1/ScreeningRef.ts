// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A version of a screening policy; its rules are in the catalog.
 */
export interface ScreeningRef {
  'policyId'?: (string);
  'version'?: (number | string | Long);
}

/**
 * A version of a screening policy; its rules are in the catalog.
 */
export interface ScreeningRef__Output {
  'policyId': (string);
  'version': (number);
}
