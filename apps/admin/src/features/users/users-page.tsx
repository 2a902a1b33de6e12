'use client';

import { Mail, UserPlus } from 'lucide-react';
import { useState } from 'react';

import { Button } from '../../design/button';
import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { useLinkedNew } from '../../resource/use-linked-action';
import { useMay, useScope } from '../../shell/scope';
import { Invitations } from '../invitations/invitations';
import { Invite } from '../invitations/invite';
import { CreateUser } from './create-user';
import { Users } from './users';

const USER_TABS = [
  { value: 'users', label: 'Users' },
  { value: 'invitations', label: 'Invitations' },
] as const;

/** Users and invitations. */
export function UsersPage() {
  const tab = useTab(USER_TABS);
  const { organisation } = useScope();
  const mayInvite = useMay('invitations.write');
  const mayCreate = useMay('users.write');
  const maySee = useMay('invitations.read');
  const [open, setOpen] = useState<'invite' | 'create'>();
  useLinkedNew(mayInvite && (() => setOpen('invite')));
  const invite = mayInvite && (
    <Button look="primary" onClick={() => setOpen('invite')}>
      <Mail aria-hidden />
      Invite
    </Button>
  );
  const create = mayCreate && (
    <Button onClick={() => setOpen('create')}>
      <UserPlus aria-hidden />
      Create user
    </Button>
  );
  return (
    <Page
      title="Users"
      description={
        organisation === null
          ? 'Users of the platform and of all organisations.'
          : 'Users of this organisation.'
      }
      actions={
        <>
          {create}
          {invite}
        </>
      }
    >
      {maySee && <Tabs label="Users and invitations" tabs={USER_TABS} />}
      {maySee && tab === 'invitations' ? (
        <Invitations action={invite} />
      ) : (
        <Users action={invite} />
      )}
      {open === 'invite' && <Invite onClose={() => setOpen(undefined)} />}
      {open === 'create' && <CreateUser onClose={() => setOpen(undefined)} />}
    </Page>
  );
}
