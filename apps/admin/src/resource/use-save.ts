'use client';

import { useRest } from '../api/provider';
import type { RestClient } from '../api/rest-client';
import { useToast } from '../design/toast';
import { useForm, type Form } from './use-form';

/** What is changed, as it was read: its change is refused (412) if it is no longer that. */
export type Known = { readonly etag: string | undefined };

type SaveOptions<Draft, Result> = {
  readonly initial: Draft | (() => Draft);
  /** What is changed; without it a new thing is made. */
  readonly known?: Known | undefined;
  /**
   * Calls the one endpoint that saves. `call` adds the ETag to a change, and to what is new the key
   * with which it is made once, however often it is sent.
   */
  readonly send: (draft: Draft, call: RestClient['call']) => Promise<Result>;
  /** Reads whose answers the change makes old: endpoints' names. */
  readonly stale: readonly string[];
  /** What is said of a new thing. */
  readonly made?: (result: Result) => string;
  /** What is said of a change where "Saved." is not enough. */
  readonly changed?: (result: Result) => string;
  /** Closes the window of the form; one that is part of a page has none. */
  readonly onClose?: () => void;
  readonly onSaved?: ((result: Result) => void) | undefined;
};

/** A form that makes or changes one thing: says so, reads its lists anew and closes. */
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

type Guard = { readonly idempotencyKey?: string; readonly ifMatch?: string };

/** What keeps a call from doing something twice, or over what somebody else has changed. */
export function guardOf(known: Known | undefined, idempotencyKey: string): Guard {
  if (known === undefined) return { idempotencyKey };
  return known.etag === undefined ? {} : { ifMatch: known.etag };
}

/** What is said of a new thing that has a name. */
export function createdText({ name }: { readonly name: string }): string {
  return `${name} created.`;
}
