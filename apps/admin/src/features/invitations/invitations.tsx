'use client';

import { rest } from '@tollgate/contracts';
import { Ban, Mail, Send } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { plural } from '../../format/numbers';
import { sentence } from '../../format/words';
import type { BulkAction } from '../../resource/bulk';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog } from '../../resource/confirm-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useMay, useScope, useTimeZone } from '../../shell/scope';
import { MakeLink } from '../users/hand-over';
import { narrowed } from '../users/narrowed';
import { OrganisationOf, RoleBadge } from '../users/user-columns';

interface InvitationWindow {
  readonly open: 'resend' | 'revoke';
  readonly invitation: rest.Invitation;
}

const REVOKED = 'The link stops working. You can invite them again.';

/** The invitations and their status. */
export function Invitations({ action }: { action: ReactNode }) {
  const { organisation } = useScope();
  const client = useRest();
  const columns = useInvitationColumns();
  const mayWrite = useMay('invitations.write');
  const [window, setWindow] = useState<InvitationWindow>();
  const revoke: BulkAction<rest.Invitation> = {
    label: 'Revoke',
    icon: Ban,
    title: (count) => `Revoke ${plural(count, 'invitation')}?`,
    done: (count) => `${plural(count, 'invitation')} revoked.`,
    consequence: REVOKED,
    applies: ({ status }) => status === 'PENDING',
    run: ({ id: invitationId }) => client.call(rest.revokeInvitation, { params: { invitationId } }),
  };
  return (
    <>
      <ResourceList
        title="Invitations"
        source={sourceOf(rest.listInvitations, {})}
        fixed={narrowed(organisation?.id)}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ email }) => email}
        search="Search email"
        filters={[
          {
            name: 'status',
            label: 'Status',
            any: 'Any status',
            values: rest.INVITATION_STATUSES,
          },
        ]}
        actions={mayWrite && ((invitation) => actionsOf(invitation, setWindow))}
        bulk={mayWrite && [revoke]}
        empty={
          <Empty icon={Mail} title="No invitations yet" action={action}>
            Invite people to join. They choose their own name and password.
          </Empty>
        }
      />
      {window !== undefined && <Windows {...window} onClose={() => setWindow(undefined)} />}
    </>
  );
}

function actionsOf(
  invitation: rest.Invitation,
  open: (window: InvitationWindow) => void,
): readonly MenuAction[] {
  const { status } = invitation;
  if (status !== 'PENDING' && status !== 'EXPIRED') return [];
  const resend: MenuAction = {
    label: 'Send again',
    icon: Send,
    onSelect: () => open({ open: 'resend', invitation }),
  };
  if (status === 'EXPIRED') return [resend];
  const revoke = () => open({ open: 'revoke', invitation });
  return [resend, { label: 'Revoke', icon: Ban, danger: true, onSelect: revoke }];
}

function Windows({ open, invitation, onClose }: InvitationWindow & { onClose: () => void }) {
  const client = useRest();
  const { id: invitationId, email } = invitation;
  const stale = [rest.listInvitations.id];
  if (open === 'resend') {
    return (
      <MakeLink
        title={`Invite ${email} again?`}
        description="Sends a new link that is valid for seven days."
        submit="Send again"
        stale={stale}
        send={(idempotencyKey) =>
          client.call(rest.resendInvitation, { params: { invitationId }, idempotencyKey })
        }
        mailed={`The invitation was sent to ${email}.`}
        shownAs={`The invitation for ${email}`}
        onClose={onClose}
      >
        <p>Their current link stops working.</p>
      </MakeLink>
    );
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      question={{
        title: `Revoke the invitation of ${email}?`,
        consequence: REVOKED,
        confirm: 'Revoke invitation',
        cancel: 'Keep the invitation',
        run: () => client.call(rest.revokeInvitation, { params: { invitationId } }),
        stale,
        done: 'Invitation revoked.',
      }}
    />
  );
}

const TONES: Record<rest.InvitationStatus, Tone> = {
  PENDING: 'accent',
  ACCEPTED: 'good',
  REVOKED: 'neutral',
  EXPIRED: 'warn',
};

function useInvitationColumns(): readonly ListColumn<rest.Invitation>[] {
  const { platform, organisation } = useScope();
  const wide = platform && organisation === null;
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.Invitation>[]>(
    () => [
      {
        title: 'Email',
        sort: 'email',
        cell: ({ email }) => <span className="break-all">{email}</span>,
      },
      ...(wide
        ? [
            {
              title: 'Organisation',
              from: 'md' as const,
              cell: ({ organisationId }: rest.Invitation) => (
                <OrganisationOf organisationId={organisationId} page="users" />
              ),
            },
          ]
        : []),
      { title: 'Role', from: 'sm', cell: ({ role }) => <RoleBadge role={role} /> },
      {
        title: 'Status',
        cell: ({ status }) => <Badge tone={TONES[status]}>{sentence(status)}</Badge>,
      },
      { title: 'Mail', from: 'md', cell: ({ mail }) => <MailState mail={mail} /> },
      {
        title: 'Valid until',
        from: 'md',
        align: 'right',
        cell: ({ status, expiresAt }) => (
          <When
            instant={status === 'PENDING' || status === 'EXPIRED' ? expiresAt : null}
            never="closed"
            timeZone={timeZone}
          />
        ),
      },
      {
        title: 'Invited',
        sort: 'createdAt',
        from: 'lg',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [wide, timeZone],
  );
}

/** The delivery status of the email, with the reason for a failure. */
function MailState({ mail }: Pick<rest.Invitation, 'mail'>) {
  if (mail === null) return <span className="whitespace-nowrap text-ink-faint">link shown</span>;
  if (mail.status === 'SENT') return <Badge tone="good">Sent</Badge>;
  return (
    <>
      <Badge tone={mail.status === 'FAILED' ? 'bad' : 'neutral'}>
        {mail.status === 'FAILED' ? 'Failed' : 'Sending'}
      </Badge>
      {mail.lastError !== null && (
        <span className="block max-w-60 text-xs break-words text-ink-soft">{mail.lastError}</span>
      )}
    </>
  );
}
