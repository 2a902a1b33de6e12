// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Long } from '@grpc/proto-loader';

export interface Invalidation {
  'seq'?: (number | string | Long);
  /**
   * empty: everything
   */
  'organisationId'?: (string);
  /**
   * What changed: API_KEY, MODEL, LIMIT, …; HEARTBEAT carries only seq. The first heartbeat of a stream
   * gives its start; every later one says that there is no change after seq.
   */
  'kind'?: (string);
  /**
   * set when a single key changed
   */
  'keySha256'?: (Buffer | Uint8Array | string);
  /**
   * limits whose counters must be forgotten
   */
  'limitIds'?: (string)[];
  'shard'?: (number);
  /**
   * the shard's revision after the change; 0: unchanged
   */
  'rev'?: (number | string | Long);
  'committedAtMs'?: (number | string | Long);
}

export interface Invalidation__Output {
  'seq': (number);
  /**
   * empty: everything
   */
  'organisationId': (string);
  /**
   * What changed: API_KEY, MODEL, LIMIT, …; HEARTBEAT carries only seq. The first heartbeat of a stream
   * gives its start; every later one says that there is no change after seq.
   */
  'kind': (string);
  /**
   * set when a single key changed
   */
  'keySha256': (Buffer);
  /**
   * limits whose counters must be forgotten
   */
  'limitIds': (string)[];
  'shard': (number);
  /**
   * the shard's revision after the change; 0: unchanged
   */
  'rev': (number);
  'committedAtMs': (number);
}
