'use client';

import type { rest } from '@tollgate/contracts';
import { Unlink } from 'lucide-react';
import { useState } from 'react';

import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { useTimeZone } from '../../shell/scope';

interface IdentitiesCardProps {
  readonly hint: string;
  /** Shown for the account's only way to sign in. */
  readonly only: string;
  readonly read: {
    readonly data: { readonly data: readonly rest.UserIdentity[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** Absent for users who may only read. */
  readonly unlink?: (identity: rest.UserIdentity) => Question;
}

/** The user's linked identity providers. Renders nothing when there are none. */
export function IdentitiesCard({ hint, only, read, unlink }: IdentitiesCardProps) {
  const timeZone = useTimeZone();
  const [question, setQuestion] = useState<Question>();
  const { data, error, refetch } = read;
  const identities = data?.data ?? [];
  if (error === null && identities.length === 0) return null;
  return (
    <Card title="Single sign-on" hint={hint} flush>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {identities.length > 0 && (
        <Table
          caption="Single sign-on"
          columns={columnsOf(
            timeZone,
            only,
            unlink && ((identity) => setQuestion(unlink(identity))),
          )}
          rows={identities}
          keyOf={({ id }) => id}
        />
      )}
      {question !== undefined && (
        <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />
      )}
    </Card>
  );
}

/** `https://id.example.com/tenant` → `id.example.com`. */
export function issuerName(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}

function columnsOf(
  timeZone: string,
  only: string,
  onUnlink: ((identity: rest.UserIdentity) => void) | undefined,
): readonly Column<rest.UserIdentity>[] {
  return [
    {
      title: 'Provider',
      cell: ({ issuer, subject }) => (
        <>
          <span title={issuer}>{issuerName(issuer)}</span>
          <span className="block break-all font-mono text-xs font-normal text-ink-faint">
            {subject}
          </span>
        </>
      ),
    },
    {
      title: 'Since',
      from: 'sm',
      cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
    },
    ...(onUnlink === undefined ? [] : [unlinkColumn(only, onUnlink)]),
  ];
}

function unlinkColumn(
  only: string,
  onUnlink: (identity: rest.UserIdentity) => void,
): Column<rest.UserIdentity> {
  return {
    title: 'Actions',
    titleHidden: true,
    align: 'right',
    cell: (identity) =>
      identity.removable ? (
        <Button
          size="small"
          aria-label={`Unlink ${issuerName(identity.issuer)}`}
          onClick={() => onUnlink(identity)}
        >
          <Unlink aria-hidden />
          Unlink
        </Button>
      ) : (
        <span className="text-xs text-ink-soft">{only}</span>
      ),
  };
}
