// Original file: protos/tollgate/catalog/v1/ledger.proto

import type { DryRunReply as _tollgate_policy_v1_DryRunReply, DryRunReply__Output as _tollgate_policy_v1_DryRunReply__Output } from '../../../tollgate/policy/v1/DryRunReply';
import type { Long } from '@grpc/proto-loader';

/**
 * What a decision about a request was made of.
 */
export interface KeptDecision {
  'organisationId'?: (string);
  'apiKeyId'?: (string);
  'requestId'?: (string);
  'atMs'?: (number | string | Long);
  /**
   * as the client named it; of MCP requests the server; empty: none
   */
  'model'?: (string);
  'operation'?: (string);
  /**
   * `allow` has only tell_upstream_model, soft_exceeded and experiment; `denial` has no subject and no limits.
   */
  'decision'?: (_tollgate_policy_v1_DryRunReply | null);
}

/**
 * What a decision about a request was made of.
 */
export interface KeptDecision__Output {
  'organisationId': (string);
  'apiKeyId': (string);
  'requestId': (string);
  'atMs': (number);
  /**
   * as the client named it; of MCP requests the server; empty: none
   */
  'model': (string);
  'operation': (string);
  /**
   * `allow` has only tell_upstream_model, soft_exceeded and experiment; `denial` has no subject and no limits.
   */
  'decision': (_tollgate_policy_v1_DryRunReply__Output | null);
}
