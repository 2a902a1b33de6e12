import { defaultTrust, type ApiKeyType, type TrustedAttribution } from '@tollgate/contracts';
import type { KeyContext } from '@tollgate/contracts/node';

/** What of a key and its organisation says which end users, sessions and tags count. */
export interface AttributionRow {
  type: ApiKeyType;
  tag_keys: string[];
  refuse_unknown_tags: boolean;
  trusted_attribution: TrustedAttribution | null;
}

export function attributionOf(
  row: AttributionRow,
): Pick<KeyContext, 'trustedAttribution' | 'tagKeys' | 'refuseUnknownTags'> {
  return {
    trustedAttribution: (row.trusted_attribution ?? defaultTrust(row.type)) === 'HEADERS',
    tagKeys: row.tag_keys,
    refuseUnknownTags: row.refuse_unknown_tags,
  };
}
