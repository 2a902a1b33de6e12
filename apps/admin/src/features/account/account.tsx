'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Page } from '../../design/page';
import { TextField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { OtherErrors } from '../../resource/form-dialog';
import type { Form } from '../../resource/use-form';
import { useSave } from '../../resource/use-save';
import { useScope } from '../../shell/scope';
import { NewPasswordField } from '../sign-in/new-password-field';
import { IdentitiesCard, issuerName } from './identities-card';
import { SessionsCard } from './sessions-card';

/** What somebody sees and changes of themselves. */
export function Account() {
  const { me } = useScope();
  return (
    <Page title="Account" description="How you appear here, and how you sign in.">
      <Card title="About you">
        <div className="flex flex-col gap-5">
          <Facts
            facts={[
              { name: 'Email', value: me.email },
              { name: 'Role', value: sentence(me.role) },
              { name: 'Organisation', value: me.organisation?.name ?? 'none: the platform' },
            ]}
          />
          <NameForm name={me.name} />
        </div>
      </Card>
      <Card title="Password" hint="Every other session of yours ends when it changes.">
        <PasswordForm email={me.email} />
      </Card>
      <OwnIdentities />
      <OwnSessions />
    </Page>
  );
}

/** One's own account has no ETag: nobody else changes it. */
const OWN = { etag: undefined };

function NameForm({ name }: { name: string }) {
  const router = useRouter();
  const form = useSave({
    initial: { name },
    known: OWN,
    stale: [rest.getMe.id, rest.listUsers.id, rest.getUser.id],
    send: (body, call) => call(rest.updateMe, { body }),
    // The frame around the page shows the name as well.
    onSaved: () => router.refresh(),
  });
  return (
    <form onSubmit={form.submit} noValidate className="flex max-w-sm flex-col gap-4">
      <OtherErrors error={form.error} fields={['name']} />
      <TextField label="Name" {...form.field('name')} autoComplete="name" maxLength={200} />
      <div>
        <Button type="submit" look="primary" busy={form.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

type Passwords = { readonly currentPassword: string; readonly newPassword: string };
const NO_PASSWORDS: Passwords = { currentPassword: '', newPassword: '' };

function PasswordForm({ email }: { email: string }) {
  const form: Form<Passwords> = useSave({
    initial: NO_PASSWORDS,
    known: OWN,
    stale: [rest.listOwnSessions.id],
    send: (body, call) => call(rest.changePassword, { body }),
    changed: () => 'Your password is changed.',
    onSaved: () => form.change(NO_PASSWORDS),
  });
  const { error, field } = form;
  return (
    <form method="post" onSubmit={form.submit} noValidate className="flex max-w-sm flex-col gap-4">
      <OtherErrors error={error} fields={['currentPassword', 'newPassword']} />
      {/* For password managers: whose password it is. */}
      <input hidden type="text" autoComplete="username" value={email} readOnly />
      <TextField
        label="Present password"
        {...field('currentPassword')}
        type="password"
        autoComplete="current-password"
        maxLength={200}
      />
      <NewPasswordField label="New password" {...field('newPassword')} />
      <div>
        <Button type="submit" look="primary" busy={form.busy}>
          Change password
        </Button>
      </div>
    </form>
  );
}

function OwnIdentities() {
  const client = useRest();
  const read = useRead(rest.listOwnIdentities, {});
  return (
    <IdentitiesCard
      hint="Where else you can sign in."
      only="Your only way to sign in"
      read={read}
      unlink={({ id: identityId, issuer }) => ({
        title: `Unlink ${issuerName(issuer)}?`,
        consequence:
          'Your other sessions that began there end. The next time you sign in there with your email address, it is linked again.',
        confirm: 'Unlink',
        run: () => client.call(rest.unlinkOwnIdentity, { params: { identityId } }),
        stale: [rest.listOwnIdentities.id, rest.listOwnSessions.id],
        done: 'It is unlinked.',
      })}
    />
  );
}

function OwnSessions() {
  const client = useRest();
  const read = useRead(rest.listOwnSessions, {});
  const stale = [rest.listOwnSessions.id];
  return (
    <SessionsCard
      title="Where you are signed in"
      read={read}
      endAll={{
        title: 'Sign out everywhere but here?',
        consequence: 'Every other browser has to sign in again.',
        confirm: 'End all others',
        run: () => client.call(rest.endOtherSessions, {}),
        stale,
        done: 'You are signed in here only.',
      }}
      endOne={({ id: sessionId }) => ({
        title: 'Sign out there?',
        consequence: 'That browser has to sign in again.',
        confirm: 'End the session',
        run: () => client.call(rest.endOwnSession, { params: { sessionId } }),
        stale,
        done: 'That session has ended.',
      })}
    />
  );
}
