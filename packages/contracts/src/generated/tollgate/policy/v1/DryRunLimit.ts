// Original file: protos/tollgate/policy/v1/policy.proto

import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from '../../../tollgate/policy/v1/LimitState';

/**
 * One limit before the request, and what the request needs of it.
 */
export interface DryRunLimit {
  /**
   * figures are empty where they are unknown
   */
  'before'?: (_tollgate_policy_v1_LimitState | null);
  /**
   * nano-USD for money, else a count
   */
  'requested'?: (string);
  /**
   * a soft limit is exceeded as well, and refuses nothing
   */
  'exceeded'?: (boolean);
  /**
   * part of before.held that floats give back when a request needs it
   */
  'lent'?: (string);
  /**
   * Of a decision that is kept, where the figures come from. Empty: from the script that decided. MEMORY: from this
   * process, as of its last exchange with the store; before.held has the float that the request was taken from.
   * REPEATED: from a later look, because the caller asked twice; another script took the hold before.
   */
  'source'?: (string);
}

/**
 * One limit before the request, and what the request needs of it.
 */
export interface DryRunLimit__Output {
  /**
   * figures are empty where they are unknown
   */
  'before': (_tollgate_policy_v1_LimitState__Output | null);
  /**
   * nano-USD for money, else a count
   */
  'requested': (string);
  /**
   * a soft limit is exceeded as well, and refuses nothing
   */
  'exceeded': (boolean);
  /**
   * part of before.held that floats give back when a request needs it
   */
  'lent': (string);
  /**
   * Of a decision that is kept, where the figures come from. Empty: from the script that decided. MEMORY: from this
   * process, as of its last exchange with the store; before.held has the float that the request was taken from.
   * REPEATED: from a later look, because the caller asked twice; another script took the hold before.
   */
  'source': (string);
}
