'use client';

import { rest } from '@tollgate/contracts';
import { Unlink } from 'lucide-react';
import { useState } from 'react';
import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { useTimeZone } from '../../shell/scope';

/** The identity providers that one can sign in at; nothing for who has none. */
export function IdentitiesCard() {
  const client = useRest();
  const timeZone = useTimeZone();
  const [question, setQuestion] = useState<Question>();
  const { data, error, refetch } = useRead(rest.listOwnIdentities, {});
  const identities = data?.data ?? [];
  if (error === null && identities.length === 0) return null;

  const unlink = ({ id: identityId, issuer }: rest.UserIdentity): Question => ({
    title: `Unlink ${nameOf(issuer)}?`,
    consequence:
      'Your other sessions that began there end. The next time you sign in there with your email address, it is linked again.',
    confirm: 'Unlink',
    run: () => client.call(rest.unlinkOwnIdentity, { params: { identityId } }),
    stale: [rest.listOwnIdentities.id, rest.listOwnSessions.id],
    done: 'It is unlinked.',
  });
  return (
    <Card title="Single sign-on" hint="Where else you can sign in." flush>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {identities.length > 0 && (
        <Table
          caption="Single sign-on"
          columns={columnsOf(timeZone, (identity) => setQuestion(unlink(identity)))}
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
function nameOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}

function columnsOf(
  timeZone: string,
  onUnlink: (identity: rest.UserIdentity) => void,
): readonly Column<rest.UserIdentity>[] {
  return [
    {
      title: 'Provider',
      cell: ({ issuer, subject }) => (
        <>
          <span title={issuer}>{nameOf(issuer)}</span>
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
    {
      title: 'Actions',
      titleHidden: true,
      align: 'right',
      cell: (identity) =>
        identity.removable ? (
          <Button
            size="small"
            aria-label={`Unlink ${nameOf(identity.issuer)}`}
            onClick={() => onUnlink(identity)}
          >
            <Unlink aria-hidden />
            Unlink
          </Button>
        ) : (
          <span className="text-xs text-ink-soft">Your only way to sign in</span>
        ),
    },
  ];
}
