'use client';

import type { rest } from '@tollgate/contracts';
import { Pencil, Power, Trash2 } from 'lucide-react';
import type { MenuAction } from '../../design/menu';
import type { Question } from '../../resource/confirm-dialog';

type LimitActions = {
  /** "budget". */
  readonly noun: string;
  readonly limit: { readonly id: string; readonly status: rest.Budget['status'] };
  readonly onEdit: () => void;
  readonly ask: (question: Question) => void;
  readonly remove: () => Promise<unknown>;
  readonly setStatus: (status: rest.Budget['status']) => Promise<unknown>;
  /** The list that is read again afterwards. */
  readonly stale: string;
};

/** What can be done with a limit of whatever kind. */
export function limitActions(of: LimitActions): readonly MenuAction[] {
  const { noun, limit, ask, stale } = of;
  const off = limit.status === 'DISABLED';
  return [
    { label: 'Edit', icon: Pencil, onSelect: of.onEdit },
    {
      label: off ? 'Turn on' : 'Turn off',
      icon: Power,
      onSelect: () =>
        ask({
          title: off ? `Turn this ${noun} on?` : `Turn this ${noun} off?`,
          consequence: off
            ? 'It binds every request from now on; what its window has seen already counts.'
            : 'It binds nothing until it is turned on again.',
          confirm: off ? 'Turn on' : 'Turn off',
          run: () => of.setStatus(off ? 'ACTIVE' : 'DISABLED'),
          stale: [stale],
          done: off ? `The ${noun} is on.` : `The ${noun} is off.`,
        }),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      onSelect: () =>
        ask({
          title: `Delete this ${noun}?`,
          consequence: 'It binds nothing from now on. What was spent stays in the books.',
          confirm: `Delete ${noun}`,
          run: of.remove,
          stale: [stale],
          done: `The ${noun} is deleted.`,
        }),
    },
  ];
}
