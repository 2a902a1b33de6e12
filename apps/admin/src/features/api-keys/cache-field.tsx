'use client';

import type { ResponseCacheMode } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { SelectField } from '../../design/text-field';

/** A list has no empty value for null. */
const AS_ORGANISATION = 'ORGANISATION';

const CHOICES = [
  { value: AS_ORGANISATION, label: 'As the organisation’s settings say' },
  { value: 'OFF', label: 'Off' },
  { value: 'ON', label: 'On' },
  { value: 'ON_REQUEST', label: 'Only for requests that ask for it' },
] as const;

interface CacheFieldProps {
  readonly value: ResponseCacheMode | null;
  readonly error: ApiError | undefined;
  readonly onChange: (part: { responseCache: ResponseCacheMode | null }) => void;
}

/** Whether requests of a key may get kept answers. */
export function CacheField({ value, error, onChange }: CacheFieldProps) {
  return (
    <SelectField
      label="Response cache"
      error={fieldError(error, 'responseCache')}
      value={value ?? AS_ORGANISATION}
      choices={CHOICES}
      onChange={(chosen) => onChange({ responseCache: chosen === AS_ORGANISATION ? null : chosen })}
    />
  );
}
