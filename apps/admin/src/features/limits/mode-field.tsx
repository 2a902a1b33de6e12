'use client';

import { LIMIT_MODES, type LimitMode } from '@tollgate/contracts';

import { Switch } from '../../design/switch';
import { SelectField } from '../../design/text-field';

const WORDS: Readonly<Record<LimitMode, string>> = {
  HARD: 'Refuse requests',
  SOFT: 'Only warn and report',
};

interface ModeFieldProps {
  readonly value: LimitMode;
  readonly error: string | undefined;
  readonly onChange: (mode: LimitMode) => void;
}

export function ModeField(props: ModeFieldProps) {
  return (
    <SelectField
      label="When the limit is reached"
      {...props}
      choices={LIMIT_MODES.map((mode) => ({ value: mode, label: WORDS[mode] }))}
    />
  );
}

interface ActiveFieldProps {
  readonly active: boolean;
  /** The limit counts nothing while it is off. */
  readonly onValues?: boolean;
  readonly onChange: (active: boolean) => void;
}

export function ActiveField({ active, onValues = false, onChange }: ActiveFieldProps) {
  return (
    <Switch
      label="Active"
      hint={`A limit that is off applies to no request, ${onValues ? 'and counts none' : 'but keeps counting'}.`}
      checked={active}
      onChange={onChange}
    />
  );
}
