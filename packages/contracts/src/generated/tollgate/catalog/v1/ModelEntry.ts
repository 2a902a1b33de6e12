// Original file: protos/tollgate/catalog/v1/directory.proto

import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from '../../../tollgate/policy/v1/Price';
import type { ModelRetirement as _tollgate_catalog_v1_ModelRetirement, ModelRetirement__Output as _tollgate_catalog_v1_ModelRetirement__Output } from '../../../tollgate/catalog/v1/ModelRetirement';
import type { Long } from '@grpc/proto-loader';

export interface ModelEntry {
  'modelId'?: (string);
  'name'?: (string);
  'type'?: (string);
  'upstreamModel'?: (string);
  'providerId'?: (string);
  'providerType'?: (string);
  'providerLabel'?: (string);
  'upstreamFormat'?: (string);
  'providerActive'?: (boolean);
  'connectionVersion'?: (number | string | Long);
  'contextTokens'?: (number | string | Long);
  'defaultMaxOutputTokens'?: (number | string | Long);
  'granted'?: (boolean);
  /**
   * in effect now and later, ascending by instant
   */
  'prices'?: (_tollgate_policy_v1_Price)[];
  'createdAtMs'?: (number | string | Long);
  /**
   * empty: none given
   */
  'displayName'?: (string);
  /**
   * the model's own maximum; 0: unknown
   */
  'maxOutputTokens'?: (number | string | Long);
  /**
   * Of tools, vision, audio, comma-separated; "none"; empty: unknown.
   */
  'capabilities'?: (string);
  /**
   * held for a server tool that the request does not bound; 0: the default
   */
  'maxToolCalls'?: (number | string | Long);
  /**
   * its provider declares that it has the Responses API
   */
  'nativeResponses'?: (boolean);
  /**
   * of its provider's connection; empty: unknown
   */
  'region'?: (string);
  /**
   * Versions of the connection from this one on have that region. That of earlier ones is unknown.
   */
  'regionFromVersion'?: (number | string | Long);
  /**
   * the model's own, at most 16; empty: any
   */
  'allowedRegions'?: (string)[];
  /**
   * absent: it has no end
   */
  'retirement'?: (_tollgate_catalog_v1_ModelRetirement | null);
}

export interface ModelEntry__Output {
  'modelId': (string);
  'name': (string);
  'type': (string);
  'upstreamModel': (string);
  'providerId': (string);
  'providerType': (string);
  'providerLabel': (string);
  'upstreamFormat': (string);
  'providerActive': (boolean);
  'connectionVersion': (number);
  'contextTokens': (number);
  'defaultMaxOutputTokens': (number);
  'granted': (boolean);
  /**
   * in effect now and later, ascending by instant
   */
  'prices': (_tollgate_policy_v1_Price__Output)[];
  'createdAtMs': (number);
  /**
   * empty: none given
   */
  'displayName': (string);
  /**
   * the model's own maximum; 0: unknown
   */
  'maxOutputTokens': (number);
  /**
   * Of tools, vision, audio, comma-separated; "none"; empty: unknown.
   */
  'capabilities': (string);
  /**
   * held for a server tool that the request does not bound; 0: the default
   */
  'maxToolCalls': (number);
  /**
   * its provider declares that it has the Responses API
   */
  'nativeResponses': (boolean);
  /**
   * of its provider's connection; empty: unknown
   */
  'region': (string);
  /**
   * Versions of the connection from this one on have that region. That of earlier ones is unknown.
   */
  'regionFromVersion': (number);
  /**
   * the model's own, at most 16; empty: any
   */
  'allowedRegions': (string)[];
  /**
   * absent: it has no end
   */
  'retirement': (_tollgate_catalog_v1_ModelRetirement__Output | null);
}
