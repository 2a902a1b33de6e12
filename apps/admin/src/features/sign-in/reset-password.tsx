'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button, LinkButton } from '../../design/button';
import { fieldError } from '../../design/field-error';
import { OtherErrors } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { paths } from '../../shell/paths';
import { ToSignIn } from './forgot-password';
import { useLinkToken } from './link-token';
import { NewPasswordField } from './new-password-field';

export function ResetPassword() {
  const token = useLinkToken();
  if (token === undefined) return null;
  if (token === null) {
    return <DeadLink>This link is incomplete. Open the complete link from the email.</DeadLink>;
  }
  return <NewPassword key={token} token={token} />;
}

function NewPassword({ token }: { token: string }) {
  const client = useRest();
  const [done, setDone] = useState(false);
  const form = useForm({
    initial: { newPassword: '' },
    stale: [],
    send: ({ newPassword }) =>
      client.call(rest.confirmPasswordReset, { body: { token, newPassword } }),
    onDone: () => setDone(true),
  });
  if (done) {
    return (
      <div className="flex flex-col gap-4">
        <p role="status">Your password is changed, and all your sessions ended.</p>
        <LinkButton look="primary" href={paths.login()}>
          Sign in
        </LinkButton>
      </div>
    );
  }
  if (fieldError(form.error, 'token') !== undefined) {
    return <DeadLink>This link is no longer valid: it was used, replaced or has expired.</DeadLink>;
  }
  return (
    <form method="post" onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <OtherErrors error={form.error} fields={['newPassword']} />
      <NewPasswordField
        label="New password"
        {...form.field('newPassword')}

        autoFocus
      />
      <Button type="submit" look="primary" busy={form.busy}>
        Set the password
      </Button>
    </form>
  );
}

function DeadLink({ children }: { children: string }) {
  return (
    <div className="flex flex-col gap-4">
      <p role="alert">{children}</p>
      <LinkButton href={paths.forgotPassword}>Request a new link</LinkButton>
      <ToSignIn />
    </div>
  );
}
