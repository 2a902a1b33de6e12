// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A request that goes to a provider as it is.
 */
export interface PassthroughCall {
  /**
   * name or id of the provider, as in the path
   */
  'provider'?: (string);
  'method'?: (string);
  /**
   * below the provider's base URL, normalised, without the query
   */
  'path'?: (string);
  /**
   * declared length of the body
   */
  'requestBytes'?: (number | string | Long);
  /**
   * the length is not declared: the rule's maximum is held
   */
  'unknownLength'?: (boolean);
}

/**
 * A request that goes to a provider as it is.
 */
export interface PassthroughCall__Output {
  /**
   * name or id of the provider, as in the path
   */
  'provider': (string);
  'method': (string);
  /**
   * below the provider's base URL, normalised, without the query
   */
  'path': (string);
  /**
   * declared length of the body
   */
  'requestBytes': (number);
  /**
   * the length is not declared: the rule's maximum is held
   */
  'unknownLength': (boolean);
}
