'use client';

import type { ResponseCacheMode, TrustedAttribution } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { Switch } from '../../design/switch';
import { PassthroughField } from '../passthrough/providers-field';
import { CacheField } from './cache-field';
import { TrustField } from './trust-field';

interface Administered {
  readonly trustedAttribution: TrustedAttribution;
  readonly responseCache: ResponseCacheMode | null;
  readonly keepBodies: boolean;
  readonly passthroughProviderIds: readonly string[];
}

interface AdministeredFieldsProps {
  readonly draft: Administered;
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<Administered>) => void;
}

/** Fields of a key that only administrators of the organisation change. */
export function AdministeredFields({ draft, error, onChange }: AdministeredFieldsProps) {
  return (
    <>
      <TrustField error={error} value={draft.trustedAttribution} onChange={onChange} />
      <CacheField error={error} value={draft.responseCache} onChange={onChange} />
      <Switch
        label="Keep bodies of its requests"
        hint="If the organisation keeps bodies. When off, those of this key are not kept."
        checked={draft.keepBodies}
        onChange={(keepBodies) => onChange({ keepBodies })}
      />
      <PassthroughField error={error} value={draft.passthroughProviderIds} onChange={onChange} />
    </>
  );
}
