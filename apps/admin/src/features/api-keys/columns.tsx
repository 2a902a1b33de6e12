import type { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo, type ReactNode } from 'react';

import { Badge, type Tone } from '../../design/badge';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { grantWords } from './grants-draft';

const TONES: Record<rest.ApiKeyStatus, Tone> = {
  ACTIVE: 'good',
  EXPIRED: 'warn',
  REVOKED: 'neutral',
};

export function useKeyColumns(): readonly ListColumn<rest.ListedApiKey>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ListedApiKey>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name, preview }) => (
          <>
            <Link
              href={pageOf(scope, `apikeys/${id}`)}
              className="block break-words text-accent underline-offset-4 hover:underline"
            >
              {name}
            </Link>
            <span className="block font-mono text-xs font-normal text-ink-faint">{preview}</span>
          </>
        ),
      },
      { title: 'Status', cell: ({ status }) => <KeyStatus status={status} /> },
      { title: 'Belongs to', from: 'md', cell: (key) => <KeyOwner apiKey={key} /> },
      { title: 'Models', from: 'sm', cell: granted },
      {
        title: 'Spend this month',
        sort: 'spentUsd',
        from: 'md',
        align: 'right',
        cell: ({ spentUsd }) => showUsd(spentUsd),
      },
      {
        title: 'Last used',
        sort: 'lastUsedOn',
        from: 'lg',
        cell: ({ lastUsedOn }) =>
          lastUsedOn === null ? (
            <span className="text-ink-faint">never</span>
          ) : (
            // A day of the organisation's calendar already.
            showTime(lastUsedOn, 'date', 'UTC')
          ),
      },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'lg',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
      {
        title: 'Expires',
        from: 'lg',
        cell: ({ expiresAt }) => <When instant={expiresAt} timeZone={timeZone} />,
      },
      {
        title: 'Revoked',
        hidden: true,
        cell: ({ revokedAt }) => <When instant={revokedAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}

export function KeyStatus({ status }: { status: rest.ApiKeyStatus }) {
  return <Badge tone={TONES[status]}>{sentence(status)}</Badge>;
}

function granted(apiKey: rest.ApiKey): ReactNode {
  return grantWords(apiKey) ?? <Badge tone="warn">none</Badge>;
}

export function KeyOwner({ apiKey }: { apiKey: rest.ApiKey }) {
  const { type, teamId, userId } = apiKey;
  if (type === 'TEAM' && teamId !== null) return <ScopeName scope={{ type: 'TEAM', id: teamId }} />;
  if (type === 'USER' && userId !== null) return <ScopeName scope={{ type: 'USER', id: userId }} />;
  return <span className="text-ink-soft">{sentence(type)}</span>;
}
