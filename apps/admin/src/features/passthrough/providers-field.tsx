'use client';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { ListPicker } from '../pickers/pickers';

interface PassthroughFieldProps {
  readonly value: readonly string[];
  readonly error: ApiError | undefined;
  readonly onChange: (part: { passthroughProviderIds: readonly string[] }) => void;
}

/** The providers whose passthrough rules a key may use. */
export function PassthroughField({ value, error, onChange }: PassthroughFieldProps) {
  return (
    <ListPicker
      of="providers"
      many
      legend="Passthrough providers"
      hint="Providers whose passthrough rules the key may use."
      error={fieldError(error, 'passthroughProviderIds')}
      chosen={value}
      onChange={(passthroughProviderIds) => onChange({ passthroughProviderIds })}
    />
  );
}
