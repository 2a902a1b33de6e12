'use client';

import { FAILOVER_TRIGGERS, type FailoverTrigger } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { NumberField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { withTrigger, type RoutingDraft } from './draft';
import { TRIGGER_WORDS } from './words';

interface TriggersFieldProps {
  readonly chosen: readonly FailoverTrigger[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly FailoverTrigger[]) => void;
}

/** The failures after which the next candidate is tried. */
export function TriggersField({ chosen, error, onChange }: TriggersFieldProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">Try the next candidate when</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {FAILOVER_TRIGGERS.map((trigger) => {
          const { label, note } = TRIGGER_WORDS[trigger];
          return (
            <label key={trigger} className="flex cursor-pointer items-start gap-2.5 py-1">
              <input
                type="checkbox"
                className="mt-0.5 size-4 shrink-0 accent-accent"
                checked={chosen.includes(trigger)}
                onChange={(event) => onChange(withTrigger(chosen, trigger, event.target.checked))}
              />
              <span className="min-w-0">
                {label}
                <span className="block text-sm text-ink-faint">{note}</span>
              </span>
            </label>
          );
        })}
      </div>
      {error !== undefined && (
        <p role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface TimesFieldsProps {
  readonly draft: RoutingDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<RoutingDraft>) => void;
}

/** `path`: where the server's errors name the field. */
const TIMES = [
  { name: 'connectMs', path: 'timeouts.connectMs', label: 'Connect (ms)' },
  { name: 'firstTokenMs', path: 'timeouts.firstTokenMs', label: 'First token (ms)' },
  { name: 'idleMs', path: 'timeouts.idleMs', label: 'Idle (ms)' },
  { name: 'attemptMs', path: 'timeouts.attemptMs', label: 'Attempt (ms)' },
  { name: 'totalTimeoutMs', path: 'totalTimeoutMs', label: 'All attempts (ms)' },
  { name: 'hedgeAfterMs', path: 'hedgeAfterMs', label: 'Hedge after (ms)' },
] as const;

/** Timeouts, retries and hedging. */
export function TimesFields(props: TimesFieldsProps) {
  const field = fieldsOf(props, (name) =>
    fieldError(props.error, TIMES.find((time) => time.name === name)?.path ?? name),
  );
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">Timeouts and retries</legend>
      <p className="mb-3 text-sm text-ink-faint">
        Empty: the provider’s timeouts apply, and no hedging. The shorter of two timeouts applies.
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {TIMES.map(({ name, label }) => (
          <NumberField key={name} label={label} {...field(name)} />
        ))}
        <NumberField label="Retries of the same candidate" {...field('retries')} />
      </div>
    </fieldset>
  );
}
