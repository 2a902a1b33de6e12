'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { freshKey } from '../api/idempotency';
import { shown, type ApiError } from '../api/rest-client';

type FormOptions<Draft, Result> = {
  readonly initial: Draft | (() => Draft);
  /** `idempotencyKey` stays the same until the draft changes: sent twice, it makes one thing. */
  readonly send: (draft: Draft, idempotencyKey: string) => Promise<Result>;
  /** Reads whose answers the change makes old: endpoints' names. */
  readonly stale: readonly string[];
  readonly onDone: (result: Result) => void;
};

export type Form<Draft> = {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly error: ApiError | undefined;
  readonly busy: boolean;
  readonly submit: (event: FormEvent) => void;
};

/** A form whose mistakes the server tells. */
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

  return {
    draft,
    error,
    busy,
    change: (part) => {
      setDraft((known) => ({ ...known, ...part }));
      setError(undefined);
      setIdempotencyKey(freshKey());
    },
    submit: (event) => {
      event.preventDefault();
      if (!busy) void run();
    },
  };
}
