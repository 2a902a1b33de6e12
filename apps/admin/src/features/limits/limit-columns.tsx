import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import type { ListColumn } from '../../resource/columns-menu';
import { ScopeName } from '../pickers/scope-name';
import { trustWords } from './trust-words';

type AnyLimit = Pick<rest.Budget, 'scope' | 'keysInScope' | 'mode' | 'status' | 'createdAt'>;

export const scopeColumn: ListColumn<AnyLimit> = {
  title: 'Applies to',
  cell: (limit) => {
    const untrusted = trustWords(limit);
    return (
      <>
        <ScopeName scope={limit.scope} />
        {untrusted !== undefined && (
          <span className="block max-w-xs text-sm text-ink-soft">{untrusted}</span>
        )}
      </>
    );
  },
};

export const stateColumn: ListColumn<AnyLimit> = {
  title: 'State',
  from: 'sm',
  cell: ({ mode, status }) => (
    <span className="inline-flex gap-1.5">
      {status === 'DISABLED' ? <Badge>Off</Badge> : <Badge tone="good">On</Badge>}
      {mode === 'SOFT' && <Badge tone="accent">reports only</Badge>}
    </span>
  ),
};

export function createdColumn(timeZone: string): ListColumn<AnyLimit> {
  return {
    title: 'Created',
    hidden: true,
    sort: 'createdAt',
    align: 'right',
    cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
  };
}
