import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import type { ListColumn } from '../../resource/columns-menu';
import { ScopeName } from '../pickers/scope-name';

type AnyLimit = Pick<rest.Budget, 'scope' | 'mode' | 'status' | 'createdAt'>;

export const scopeColumn: ListColumn<AnyLimit> = {
  title: 'Applies to',
  cell: ({ scope }) => <ScopeName scope={scope} />,
};

export const stateColumn: ListColumn<AnyLimit> = {
  title: 'State',
  from: 'sm',
  cell: ({ mode, status }) => (
    <span className="inline-flex gap-1.5">
      {status === 'DISABLED' ? <Badge>off</Badge> : <Badge tone="good">on</Badge>}
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
