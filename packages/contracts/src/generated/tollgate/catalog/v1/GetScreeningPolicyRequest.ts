// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface GetScreeningPolicyRequest {
  'policyId'?: (string);
  'version'?: (number | string | Long);
}

export interface GetScreeningPolicyRequest__Output {
  'policyId': (string);
  'version': (number);
}
