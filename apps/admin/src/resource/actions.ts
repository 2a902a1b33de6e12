import type { rest } from '@tollgate/contracts';
import { Power, Trash2 } from 'lucide-react';

import type { RestClient, RestInput } from '../api/rest-client';
import type { MenuAction } from '../design/menu';
import type { Question } from './confirm-dialog';
import { reversible } from './reversible';

// Turning off, turning on and deleting are asked and confirmed in the same words everywhere.

type Status = 'ACTIVE' | 'DISABLED';

interface Subject {
  /** What it is: "model", "rate limit". */
  readonly noun: string;
  /** What it is called. Something without a name is "the rate limit". */
  readonly name?: string;
  readonly ask: (question: Question) => void;
  /** Endpoints whose cached answers the action outdates. */
  readonly stale: readonly string[];
}

type Turning<E extends rest.Endpoint> = Subject & {
  readonly client: RestClient;
  readonly status: Status;
  /** The call that sets a status. */
  readonly set: (status: Status) => readonly [E, RestInput<E>];
  /** What follows from turning it on, and from turning it off. */
  readonly consequence: { readonly on: string; readonly off: string };
};

/** Turns something on or off, with the way back. */
export function turnAction<E extends rest.Endpoint>(of: Turning<E>): MenuAction {
  const { client, status, set, consequence, stale, ask } = of;
  const off = status === 'DISABLED';
  const label = off ? 'Turn on' : 'Turn off';
  const { inText, first } = wordsFor(of);
  return {
    label,
    icon: Power,
    onSelect: () =>
      ask({
        title: `${label} ${inText}?`,
        consequence: off ? consequence.on : consequence.off,
        confirm: label,
        ...reversible(
          client,
          set(off ? 'ACTIVE' : 'DISABLED'),
          set(status),
          `${first} is ${off ? 'off' : 'on'} again.`,
        ),
        stale,
        done: `${first} is ${off ? 'on' : 'off'}.`,
      }),
  };
}

type Deleting = Subject & {
  readonly consequence: string;
  readonly run: () => Promise<unknown>;
  readonly onDone?: (() => void) | undefined;
};

/** Deletes something for good. What has a name is confirmed by typing it. */
export function deleteAction(of: Deleting): MenuAction {
  const { noun, name, consequence, run, stale, onDone, ask } = of;
  const { inText, first } = wordsFor(of);
  return {
    label: 'Delete',
    icon: Trash2,
    danger: true,
    onSelect: () =>
      ask({
        title: `Delete ${inText}?`,
        consequence,
        ...(name !== undefined && { name }),
        confirm: `Delete ${noun}`,
        cancel: `Keep the ${noun}`,
        run,
        stale,
        done: `${first} was deleted.`,
        ...(onDone && { onDone }),
      }),
  };
}

/** The subject within a sentence, and as its first word. */
function wordsFor({ noun, name }: Subject): { readonly inText: string; readonly first: string } {
  if (name !== undefined) return { inText: name, first: name };
  return { inText: `the ${noun}`, first: `The ${noun}` };
}
