// Original file: protos/tollgate/catalog/v1/directory.proto

import type { ResolvedKey as _tollgate_catalog_v1_ResolvedKey, ResolvedKey__Output as _tollgate_catalog_v1_ResolvedKey__Output } from '../../../tollgate/catalog/v1/ResolvedKey';
import type { OrganisationContext as _tollgate_catalog_v1_OrganisationContext, OrganisationContext__Output as _tollgate_catalog_v1_OrganisationContext__Output } from '../../../tollgate/catalog/v1/OrganisationContext';
import type { Long } from '@grpc/proto-loader';

export interface ResolveKeysReply {
  /**
   * in the order of the request. Fewer: the reply is full, ask again for the rest
   */
  'keys'?: (_tollgate_catalog_v1_ResolvedKey)[];
  'organisations'?: (_tollgate_catalog_v1_OrganisationContext)[];
  /**
   * every change up to here is included
   */
  'outboxSeq'?: (number | string | Long);
}

export interface ResolveKeysReply__Output {
  /**
   * in the order of the request. Fewer: the reply is full, ask again for the rest
   */
  'keys': (_tollgate_catalog_v1_ResolvedKey__Output)[];
  'organisations': (_tollgate_catalog_v1_OrganisationContext__Output)[];
  /**
   * every change up to here is included
   */
  'outboxSeq': (number);
}
