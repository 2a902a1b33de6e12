'use client';

import { isOneOf, LIMIT_MODES, type LimitMode } from '@tollgate/contracts';
import type { ApiError } from '../../api/rest-client';
import { Field, Select } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';

const WORDS: Readonly<Record<LimitMode, string>> = {
  HARD: 'Refuse what would pass the limit',
  SOFT: 'Only warn and report',
};

type ModeFieldProps = {
  readonly mode: LimitMode;
  readonly error: ApiError | undefined;
  readonly onChange: (mode: LimitMode) => void;
};

export function ModeField({ mode, error, onChange }: ModeFieldProps) {
  return (
    <Field label="When it is reached" error={fieldError(error, 'mode')}>
      {(props) => (
        <Select
          {...props}
          value={mode}
          onChange={({ target }) => {
            if (isOneOf(LIMIT_MODES, target.value)) onChange(target.value);
          }}
        >
          {LIMIT_MODES.map((value) => (
            <option key={value} value={value}>
              {WORDS[value]}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

type ActiveFieldProps = { readonly active: boolean; readonly onChange: (active: boolean) => void };

export function ActiveField({ active, onChange }: ActiveFieldProps) {
  return (
    <Switch
      label="Active"
      hint="While it is off it binds nothing, and goes on counting."
      checked={active}
      onChange={onChange}
    />
  );
}
