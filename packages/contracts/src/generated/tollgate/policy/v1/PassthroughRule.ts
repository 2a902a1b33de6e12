// Original file: protos/tollgate/policy/v1/policy.proto

import type { Long } from '@grpc/proto-loader';

/**
 * What may be called at a provider, and what it costs. `*` stands for one segment of the path, `**` at its end for
 * one or more.
 */
export interface PassthroughRule {
  'method'?: (string);
  'path'?: (string);
  /**
   * decimal strings, like the next two
   */
  'callNanoUsd'?: (string);
  /**
   * per 1,000,000 bytes
   */
  'requestMegabyteNanoUsd'?: (string);
  'responseMegabyteNanoUsd'?: (string);
  'maxRequestBytes'?: (number | string | Long);
  'maxResponseBytes'?: (number | string | Long);
}

/**
 * What may be called at a provider, and what it costs. `*` stands for one segment of the path, `**` at its end for
 * one or more.
 */
export interface PassthroughRule__Output {
  'method': (string);
  'path': (string);
  /**
   * decimal strings, like the next two
   */
  'callNanoUsd': (string);
  /**
   * per 1,000,000 bytes
   */
  'requestMegabyteNanoUsd': (string);
  'responseMegabyteNanoUsd': (string);
  'maxRequestBytes': (number);
  'maxResponseBytes': (number);
}
