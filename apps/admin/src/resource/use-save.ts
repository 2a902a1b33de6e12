'use client';

import { useRest } from '../api/provider';
import type { RestClient } from '../api/rest-client';
import { useToast } from '../design/toast';
import { useForm, type Form } from './use-form';

/** The version that was read. The change fails with 412 if it is outdated. */
export interface Known {
  readonly etag: string | undefined;
}

interface SaveOptions<Draft, Result> {
  readonly initial: Draft | (() => Draft);
  /** The resource to change; absent for a new one. */
  readonly known?: Known | undefined;
  /**
   * Calls the endpoint that saves. `call` adds the ETag to changes and an idempotency key to new
   * resources.
   */
  readonly send: (draft: Draft, call: RestClient['call']) => Promise<Result>;
  /** Names of endpoints whose cached answers the change outdates. */
  readonly stale: readonly string[];
  /** The toast for a new resource. */
  readonly made?: (result: Result) => string;
  /** The toast for a change, instead of "Saved." */
  readonly changed?: (result: Result) => string;
  /** Closes the form's dialog. Absent for forms within a page. */
  readonly onClose?: () => void;
  readonly onSaved?: ((result: Result) => void) | undefined;
}

/** A form that creates or changes a resource, then shows a toast, refreshes lists and closes. */
export function useSave<Draft extends object, Result>(
  options: SaveOptions<Draft, Result>,
): Form<Draft> {
  const { initial, known, send, stale, onClose, onSaved } = options;
  const client = useRest();
  const say = useToast();
  return useForm<Draft, Result>({
    initial,
    stale,
    send: (draft, idempotencyKey) =>
      send(draft, (endpoint, input) =>
        client.call(endpoint, { ...input, ...guardOf(known, idempotencyKey) }),
      ),
    onDone: (result) => {
      const words = known === undefined ? options.made : options.changed;
      say(words?.(result) ?? 'Saved.');
      onClose?.();
      onSaved?.(result);
    },
  });
}

interface Guard {
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
}

/** Protects against duplicate creation and against overwriting others' changes. */
export function guardOf(known: Known | undefined, idempotencyKey: string): Guard {
  if (known === undefined) return { idempotencyKey };
  return known.etag === undefined ? {} : { ifMatch: known.etag };
}

/** The toast for a new resource with a name. */
export function createdText({ name }: { readonly name: string }): string {
  return `${name} created.`;
}
