'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';

import { freshKey } from '../api/idempotency';
import { shown, type ApiError } from '../api/rest-client';
import { fieldError } from '../design/field-error';

interface FormOptions<Draft, Result> {
  readonly initial: Draft | (() => Draft);
  /** `idempotencyKey` is stable until the draft changes, so a resend creates nothing twice. */
  readonly send: (draft: Draft, idempotencyKey: string) => Promise<Result>;
  /** Names of endpoints whose cached answers the change outdates. */
  readonly stale: readonly string[];
  readonly onDone: (result: Result) => void;
}

interface Changing<Draft> {
  readonly draft: Draft;
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Value, error and change handler of one field, to be spread into its control. */
type FieldOf<Draft> = <Name extends keyof Draft & string>(
  name: Name,
) => {
  readonly value: Draft[Name];
  readonly error: string | undefined;
  readonly onChange: (value: Draft[Name]) => void;
};

/**
 * Binds the controls of a form, or of a part of it, to the draft by the names of its fields.
 * `mistakeOf` is for a part whose errors have another path than the field's name.
 */
export function fieldsOf<Draft>(
  { draft, error, onChange }: Changing<Draft>,
  mistakeOf = (name: string): string | undefined => fieldError(error, name),
): FieldOf<Draft> {
  return (name) => ({
    value: draft[name],
    error: mistakeOf(name),
    onChange: (value) => {
      const part: Partial<Draft> = {};
      part[name] = value;
      onChange(part);
    },
  });
}

export type Form<Draft> = Omit<Changing<Draft>, 'onChange'> & {
  readonly change: (part: Partial<Draft>) => void;
  readonly field: FieldOf<Draft>;
  readonly busy: boolean;
  readonly submit: (event: FormEvent) => void;
};

/** Form state. The server validates. */
export function useForm<Draft extends object, Result>(
  options: FormOptions<Draft, Result>,
): Form<Draft> {
  const { initial, send, stale, onDone } = options;
  const queries = useQueryClient();
  const [draft, setDraft] = useState(initial);
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const [idempotencyKey, setIdempotencyKey] = useState(freshKey);

  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const result = await send(draft, idempotencyKey);
      await Promise.all(
        stale.map((endpoint) => queries.invalidateQueries({ queryKey: [endpoint] })),
      );
      setIdempotencyKey(freshKey());
      onDone(result);
    } catch (failure) {
      setError(shown(failure));
    }
    setBusy(false);
  };

  const change = (part: Partial<Draft>): void => {
    setDraft((known) => ({ ...known, ...part }));
    setError(undefined);
    setIdempotencyKey(freshKey());
  };
  return {
    draft,
    error,
    busy,
    change,
    field: fieldsOf({ draft, error, onChange: change }),
    submit: (event) => {
      event.preventDefault();
      if (!busy) void run();
    },
  };
}
