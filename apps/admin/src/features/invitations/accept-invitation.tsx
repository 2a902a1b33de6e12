'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { fieldError } from '../../design/field-error';
import { SkeletonRows } from '../../design/skeleton';
import { TextField } from '../../design/text-field';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { OtherErrors } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { paths } from '../../shell/paths';
import { ToSignIn } from '../sign-in/forgot-password';
import { useLinkToken } from '../sign-in/link-token';
import { NewPasswordField } from '../sign-in/new-password-field';
import { signIn } from '../sign-in/sign-in';

/** Shows an invitation and accepts it. */
export function AcceptInvitation() {
  const token = useLinkToken();
  if (token === undefined) return <SkeletonRows rows={3} label="Loading the invitation" />;
  if (token === null) {
    return (
      <DeadLink>This link is incomplete. Open the complete link from the invitation.</DeadLink>
    );
  }
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const client = useRest();
  const { data, error, refetch } = useQuery({
    queryKey: [rest.lookUpInvitation.id, token],
    queryFn: ({ signal }) => client.call(rest.lookUpInvitation, { body: { token }, signal }),
    // Every read counts against the client's network.
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error !== null) {
    if (fieldError(error, 'token') !== undefined) return <Used />;
    return <Failure error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <SkeletonRows rows={3} label="Loading the invitation" />;
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={[
          { name: 'Organisation', value: data.organisationName },
          { name: 'Role', value: sentence(data.role) },
          { name: 'Valid until', value: showTime(data.expiresAt, 'date', 'UTC') },
        ]}
      />
      <JoinForm token={token} email={data.email} />
    </div>
  );
}

function JoinForm({ token, email }: { token: string; email: string }) {
  const client = useRest();
  const form = useForm({
    initial: { name: '', password: '' },
    stale: [],
    send: async ({ name, password }) => {
      const accepted = await client.call(rest.acceptInvitation, {
        body: { token, name, password },
      });
      try {
        await signIn(client, accepted.email, password);
      } catch {
        // The account was created; the user continues on the sign-in page.
        return paths.login();
      }
      return '/';
    },
    // A full page load clears the previous user's data from memory.
    onDone: (target) => location.assign(target),
  });
  const { error, field } = form;
  if (fieldError(error, 'token') !== undefined) return <Used />;
  return (
    <form method="post" onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <OtherErrors error={error} fields={['email', 'name', 'password']} />
      <TextField
        label="Email"
        error={fieldError(error, 'email')}
        type="email"
        autoComplete="username"
        value={email}
        readOnly
      />
      <TextField
        label="Your name"
        {...field('name')}
        autoComplete="name"
        maxLength={200}
        autoFocus
      />
      <NewPasswordField label="Password" {...field('password')} />
      <Button type="submit" look="primary" busy={form.busy}>
        {form.busy ? 'Joining…' : 'Join'}
      </Button>
    </form>
  );
}

function Used() {
  return (
    <DeadLink>
      This invitation is no longer valid: it was accepted, revoked, replaced or has expired. Ask the
      person who invited you for a new one.
    </DeadLink>
  );
}

function DeadLink({ children }: { children: string }) {
  return (
    <div className="flex flex-col gap-4">
      <p role="alert">{children}</p>
      <ToSignIn />
    </div>
  );
}
