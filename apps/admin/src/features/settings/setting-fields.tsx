'use client';

import { useId, type ReactNode } from 'react';
import type { ApiError } from '../../api/rest-client';
import { Switch } from '../../design/switch';
import { NumberField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import type { SettingsDraft } from './draft';

export const SETTING_FIELDS = [
  'name',
  'timeZone',
  'routingEnabled',
  'openCompatRoutes',
  'routeCompatRequests',
  'tellUpstreamModel',
  'sendOutputBound',
  'retentionDays',
];

type SettingFieldsProps = {
  readonly draft: SettingsDraft;
  readonly error: ApiError | undefined;
  readonly disabled?: boolean;
  /** Whether one begins with the name, as in a dialog. */
  readonly autoFocus?: boolean;
  readonly onChange: (part: Partial<SettingsDraft>) => void;
  /** After the name. */
  readonly children?: ReactNode;
};

const SWITCHES = [
  {
    name: 'routingEnabled',
    label: 'Routing policies',
    hint: 'Keys may have a policy that chooses among several models.',
  },
  {
    name: 'openCompatRoutes',
    label: 'Any model on every vendor’s routes',
    hint: 'The OpenAI and vLLM routes reach models of every provider that can do what they ask: chat, embeddings, images, audio and the rest (openCompatRoutes).',
  },
  {
    name: 'routeCompatRequests',
    label: 'Routing policies on the vendors’ routes',
    hint: 'Within the models that a route may serve.',
  },
  {
    name: 'tellUpstreamModel',
    label: 'Tell clients the provider’s name for a model',
    hint: 'In the header x-tollgate-upstream-model. Usage records have it in any case.',
  },
  {
    name: 'sendOutputBound',
    label: 'Send a default output bound',
    hint: 'Requests that name none are sent with the model’s default. Off: nothing is sent, and the model’s own maximum is held, where that maximum is known.',
  },
] as const;

/** What an organisation is called and how it behaves. */
export function SettingFields(props: SettingFieldsProps) {
  const { draft, disabled = false, autoFocus = false, onChange, children } = props;
  const field = fieldsOf(props);
  const zones = useId();
  return (
    <>
      <TextField
        label="Name"
        {...field('name')}
        disabled={disabled}
        maxLength={200}
        autoFocus={autoFocus}
      />
      {children}
      <TextField
        label="Time zone"
        hint="In which days, weeks, months and quarters of budgets and reports begin."
        {...field('timeZone')}
        disabled={disabled}
        spellCheck={false}
        list={zones}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <NumberField
        label="Keep usage records for (days)"
        optional
        hint="Empty keeps them for ever. Totals and the ledger’s sums are kept in any case."
        {...field('retentionDays')}
        disabled={disabled}
      />
      {SWITCHES.map(({ name, label, hint }) => (
        <Switch
          key={name}
          label={label}
          hint={hint}
          checked={draft[name]}
          disabled={disabled}
          onChange={(checked) => onChange({ [name]: checked })}
        />
      ))}
    </>
  );
}
