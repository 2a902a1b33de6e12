import type { rest } from '@tollgate/contracts';
import { Ban } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/badge';
import { Button } from '../../design/button';
import type { Column } from '../../design/table';
import { plural } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { ScopeName } from '../pickers/scope-name';

const TONES: Record<rest.ApiKeyStatus, Tone> = {
  ACTIVE: 'good',
  EXPIRED: 'warn',
  REVOKED: 'neutral',
};

export function keyColumns(
  timeZone: string,
  onRevoke: ((key: rest.ApiKey) => void) | undefined,
): Column<rest.ApiKey>[] {
  const columns: Column<rest.ApiKey>[] = [
    {
      title: 'Name',
      cell: ({ name, preview }) => (
        <>
          <span className="block break-words">{name}</span>
          <span className="block font-mono text-xs font-normal text-ink-faint">{preview}</span>
        </>
      ),
    },
    {
      title: 'Status',
      cell: ({ status }) => <Badge tone={TONES[status]}>{sentence(status)}</Badge>,
    },
    { title: 'Belongs to', from: 'md', cell: (key) => <KeyOwner apiKey={key} /> },
    {
      title: 'Models',
      from: 'sm',
      cell: ({ modelIds }) => granted(modelIds.length),
    },
    {
      title: 'Created',
      from: 'lg',
      cell: ({ createdAt }) => <Day instant={createdAt} timeZone={timeZone} />,
    },
    {
      title: 'Expires',
      from: 'lg',
      cell: ({ expiresAt }) =>
        expiresAt === null ? (
          <span className="text-ink-faint">never</span>
        ) : (
          <Day instant={expiresAt} timeZone={timeZone} />
        ),
    },
  ];
  if (onRevoke === undefined) return columns;
  const revoke: Column<rest.ApiKey> = {
    title: 'Actions',
    titleHidden: true,
    align: 'right',
    cell: (key) =>
      key.status === 'REVOKED' ? null : (
        <Button
          look="quiet"
          size="small"
          onClick={() => onRevoke(key)}
          aria-label={`Revoke ${key.name}`}
        >
          <Ban aria-hidden />
          Revoke
        </Button>
      ),
  };
  return [...columns, revoke];
}

function granted(models: number): ReactNode {
  return models === 0 ? <Badge tone="warn">none</Badge> : plural(models, 'model');
}

function Day({ instant, timeZone }: { instant: string; timeZone: string }) {
  return (
    <time
      dateTime={instant}
      title={showTime(instant, 'moment', timeZone)}
      className="whitespace-nowrap text-ink-soft"
    >
      {showTime(instant, 'date', timeZone)}
    </time>
  );
}

function KeyOwner({ apiKey }: { apiKey: rest.ApiKey }) {
  const { type, teamId, userId } = apiKey;
  if (type === 'TEAM' && teamId !== null) return <ScopeName scope={{ type: 'TEAM', id: teamId }} />;
  if (type === 'USER' && userId !== null) return <ScopeName scope={{ type: 'USER', id: userId }} />;
  return <span className="text-ink-soft">{sentence(type)}</span>;
}
