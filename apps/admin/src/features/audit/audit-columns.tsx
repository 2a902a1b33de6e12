import type { rest } from '@tollgate/contracts';
import { useMemo } from 'react';

import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import type { ListColumn } from '../../resource/columns-menu';
import { useScope, useTimeZone } from '../../shell/scope';
import { OrganisationOf } from '../users/user-columns';
import { actionWords, objectWords } from './changes';
import { nameOfObject } from './object-name';

export function useAuditColumns(
  onShow: (event: rest.AuditEvent) => void,
): readonly ListColumn<rest.AuditEvent>[] {
  const { platform, organisation } = useScope();
  const everywhere = platform && organisation === null;
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.AuditEvent>[]>(
    () => [
      {
        title: 'What',
        cell: (event) => (
          <>
            <button
              type="button"
              onClick={() => onShow(event)}
              className="rounded-sm text-left break-words text-accent underline-offset-4 hover:underline"
            >
              {actionWords(event.action)}
            </button>
            <ObjectName event={event} />
            <span className="block text-xs font-normal sm:hidden">
              <Actor event={event} /> ·{' '}
              <When instant={event.createdAt} timeZone={timeZone} format="moment" />
            </span>
          </>
        ),
      },
      { title: 'Who', from: 'sm', cell: (event) => <Actor event={event} /> },
      ...(everywhere
        ? [
            {
              title: 'Organisation',
              from: 'md' as const,
              cell: ({ organisationId }: rest.AuditEvent) => (
                <OrganisationOf organisationId={organisationId} page="audit" />
              ),
            },
          ]
        : []),
      {
        title: 'Address',
        from: 'lg',
        cell: ({ remoteAddress }) =>
          remoteAddress === null ? (
            <span className="text-ink-faint">—</span>
          ) : (
            <span className="font-mono text-sm text-ink-soft">{remoteAddress}</span>
          ),
      },
      {
        title: 'Request',
        hidden: true,
        cell: ({ requestId }) => (
          <span className="font-mono text-xs break-all text-ink-soft">{requestId ?? '—'}</span>
        ),
      },
      {
        title: 'When',
        sort: 'createdAt',
        align: 'right',
        from: 'sm',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [everywhere, onShow, timeZone],
  );
}

/** The object's name at the time, if the event has it. */
function ObjectName({ event: { target, before, after } }: { event: rest.AuditEvent }) {
  return (
    <span className="block text-xs font-normal wrap-anywhere text-ink-faint">
      {nameOfObject(before, after) ?? target.name ?? target.id ?? objectWords(target.type)}
    </span>
  );
}

export function Actor({ event: { actor, names } }: { event: rest.AuditEvent }) {
  if (actor.kind === 'SYSTEM') return <Badge>system</Badge>;
  const name = actor.id === null ? undefined : names[actor.id];
  const address = actor.email ?? actor.id;
  if (name === undefined) return <span className="break-all">{address}</span>;
  return (
    <>
      <span className="wrap-anywhere">{name}</span>{' '}
      <span className="text-sm break-all text-ink-faint">{address}</span>
    </>
  );
}
