'use client';

import type { rest } from '@tollgate/contracts';
import { Pencil } from 'lucide-react';

import type { RestClient, RestInput } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import type { Question } from '../../resource/confirm-dialog';

interface LimitActions<E extends rest.Endpoint> {
  /** "budget". */
  readonly noun: string;
  readonly client: RestClient;
  readonly status: rest.Budget['status'];
  readonly onEdit: () => void;
  readonly ask: (question: Question) => void;
  readonly remove: () => Promise<unknown>;
  readonly set: (status: rest.Budget['status']) => readonly [E, RestInput<E>];
  /** Endpoints whose cached answers an action outdates. */
  readonly stale: readonly string[];
}

/** What can be done with a budget, a quota or a rate limit. */
export function limitActions<E extends rest.Endpoint>(of: LimitActions<E>): readonly MenuAction[] {
  return [
    { label: 'Edit', icon: Pencil, onSelect: of.onEdit },
    turnAction({
      ...of,
      consequence: {
        on: 'It applies to every request from now on. What its window has used already counts.',
        off: 'It applies to no request until it is turned on again.',
      },
    }),
    deleteAction({
      ...of,
      consequence: 'It applies to no request from now on. Recorded usage is kept.',
      run: of.remove,
    }),
  ];
}
