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

/** The signed-in user's own profile, password and sessions. */
export function Account() {
  const { me } = useScope();
  return (
    <Page title="Account" description="Your name, your password and your sessions.">
      <Card title="About you">
        <div className="flex flex-col gap-5">
          <Facts
            facts={[
              { name: 'Email', value: me.email },
              { name: 'Role', value: sentence(me.role) },
              { name: 'Organisation', value: me.organisation?.name ?? 'None (platform)' },
            ]}
          />
          <NameForm name={me.name} />
        </div>
      </Card>
      <Card title="Password" hint="Changing it ends all your other sessions.">
        <PasswordForm email={me.email} />
      </Card>
      <OwnIdentities />
      <OwnSessions />
    </Page>
  );
}

/** The own account has no ETag: nobody else changes it. */
const OWN = { etag: undefined };

function NameForm({ name }: { name: string }) {
  const router = useRouter();
  const form = useSave({
    initial: { name },
    known: OWN,
    stale: [rest.getMe.id, rest.listUsers.id, rest.getUser.id],
    send: (body, call) => call(rest.updateMe, { body }),
    // The page frame shows the name too.
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

interface Passwords {
  readonly currentPassword: string;
  readonly newPassword: string;
}
const NO_PASSWORDS: Passwords = { currentPassword: '', newPassword: '' };

function PasswordForm({ email }: { email: string }) {
  const form: Form<Passwords> = useSave({
    initial: NO_PASSWORDS,
    known: OWN,
    stale: [rest.listOwnSessions.id],
    send: (body, call) => call(rest.changePassword, { body }),
    changed: () => 'Password changed.',
    onSaved: () => form.change(NO_PASSWORDS),
  });
  const { error, field } = form;
  return (
    <form method="post" onSubmit={form.submit} noValidate className="flex max-w-sm flex-col gap-4">
      <OtherErrors error={error} fields={['currentPassword', 'newPassword']} />
      {/* Tells password managers whose password this is. */}
      <input hidden type="text" autoComplete="username" value={email} readOnly />
      <TextField
        label="Current password"
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
      hint="Identity providers you can sign in with."
      only="Your only way to sign in"
      read={read}
      unlink={({ id: identityId, issuer }) => ({
        title: `Unlink ${issuerName(issuer)}?`,
        consequence:
          'Your other sessions that started there end. Signing in there again with your email address links it again.',
        confirm: 'Unlink',
        run: () => client.call(rest.unlinkOwnIdentity, { params: { identityId } }),
        stale: [rest.listOwnIdentities.id, rest.listOwnSessions.id],
        done: 'Identity unlinked.',
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
        title: 'Sign out of all other sessions?',
        consequence: 'Every other browser must sign in again.',
        confirm: 'End other sessions',
        run: () => client.call(rest.endOtherSessions, {}),
        stale,
        done: 'All other sessions ended.',
      }}
      endOne={({ id: sessionId }) => ({
        title: 'End this session?',
        consequence: 'That browser must sign in again.',
        confirm: 'End session',
        run: () => client.call(rest.endOwnSession, { params: { sessionId } }),
        stale,
        done: 'Session ended.',
      })}
    />
  );
}
