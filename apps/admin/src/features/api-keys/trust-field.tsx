'use client';

import type { TrustedAttribution } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { SelectField } from '../../design/text-field';

const CHOICES = [
  { value: 'HEADERS', label: 'Count in the whole organisation' },
  { value: 'NONE', label: 'Count within this key only; tags are ignored' },
] as const;

interface TrustFieldProps {
  readonly value: TrustedAttribution;
  readonly error: ApiError | undefined;
  readonly onChange: (part: { trustedAttribution: TrustedAttribution }) => void;
}

/** Whether the names that requests of a key carry are believed. */
export function TrustField({ value, error, onChange }: TrustFieldProps) {
  return (
    <SelectField
      label="End users, sessions and tags that its requests name"
      error={fieldError(error, 'trustedAttribution')}
      value={value}
      choices={CHOICES}
      onChange={(trustedAttribution) => onChange({ trustedAttribution })}
    />
  );
}
