'use client';

import type { rest } from '@tollgate/contracts';
import { LogOut } from 'lucide-react';
import { useState } from 'react';

import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { type Column } from '../../design/table';
import { When } from '../../design/when';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { TableCard } from '../../resource/table-card';
import { useTimeZone } from '../../shell/scope';
import { deviceOf } from './device';

interface SessionsCardProps {
  readonly title: string;
  readonly read: {
    readonly data: { readonly data: readonly rest.UserSession[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** Ends all listed sessions except the current one. */
  readonly endAll: Question;
  /** Absent for users who may only read. */
  readonly endOne?: (session: rest.UserSession) => Question;
}

const METHODS: Record<rest.SessionMethod, string> = {
  PASSWORD: 'Password',
  SSO: 'Single sign-on',
};

/** The user's sessions, which can be ended. */
export function SessionsCard({ title, read, endAll, endOne }: SessionsCardProps) {
  const timeZone = useTimeZone();
  const [question, setQuestion] = useState<Question>();
  const others = read.data?.data.filter(({ current }) => !current) ?? [];
  const columns = columnsOf(timeZone, endOne && ((session) => setQuestion(endOne(session))));
  return (
    <>
      <TableCard
        title={title}
        action={
          endOne !== undefined &&
          others.length > 0 && (
            <Button size="small" onClick={() => setQuestion(endAll)}>
              <LogOut aria-hidden />
              {endAll.confirm}
            </Button>
          )
        }
        read={read}
        loading="Loading sessions"
        caption={title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="p-4 text-ink-soft">No active sessions.</p>}
      />
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </>
  );
}

function columnsOf(
  timeZone: string,
  onEnd: ((session: rest.UserSession) => void) | undefined,
): readonly Column<rest.UserSession>[] {
  return [
    {
      title: 'Where',
      cell: ({ userAgent, remoteAddress, current }) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2" title={userAgent ?? undefined}>
            {deviceOf(userAgent)}
            {current && <Badge tone="accent">this session</Badge>}
          </span>
          <span className="block font-mono text-xs font-normal text-ink-faint">
            {remoteAddress ?? 'unknown address'}
          </span>
        </>
      ),
    },
    {
      title: 'Signed in with',
      from: 'md',
      cell: ({ method }) => (
        <span className="text-ink-soft">{method === null ? 'unknown' : METHODS[method]}</span>
      ),
    },
    {
      title: 'Since',
      from: 'sm',
      cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
    },
    {
      title: 'Last seen',
      cell: ({ lastSeenAt }) => <When instant={lastSeenAt} timeZone={timeZone} format="moment" />,
    },
    ...(onEnd === undefined
      ? []
      : [
          {
            title: 'Actions',
            titleHidden: true as const,
            align: 'right' as const,
            cell: (session: rest.UserSession) =>
              !session.current && (
                <Button
                  size="small"
                  aria-label={`End the session of ${deviceOf(session.userAgent)}`}
                  onClick={() => onEnd(session)}
                >
                  End
                </Button>
              ),
          },
        ]),
  ];
}
