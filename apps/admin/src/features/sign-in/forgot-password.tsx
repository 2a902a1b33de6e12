'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { TextField } from '../../design/text-field';
import { OtherErrors } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { paths } from '../../shell/paths';
import { useReady } from './use-ready';

/** Requests the email. The response does not reveal whether the account exists. */
export function ForgotPassword() {
  const client = useRest();
  const ready = useReady();
  const [askedFor, setAskedFor] = useState<string>();
  const form = useForm({
    initial: { email: '' },
    stale: [],
    send: async ({ email }) => {
      await client.call(rest.requestPasswordReset, { body: { email } });
      return email.trim();
    },
    onDone: setAskedFor,
  });
  if (askedFor !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <p role="status">
          If <span className="font-medium break-words">{askedFor}</span> has an account, an email
          with a link is on its way. The link works once and expires after an hour.
        </p>
        <ToSignIn />
      </div>
    );
  }
  return (
    <form method="post" onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <OtherErrors error={form.error} fields={['email']} />
      <TextField
        label="Email"
        {...form.field('email')}
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <Button type="submit" look="primary" busy={form.busy} disabled={!ready}>
        Send the link
      </Button>
      <ToSignIn />
    </form>
  );
}

export function ToSignIn() {
  return (
    <Link
      href={paths.login()}
      className="self-start text-sm text-accent underline-offset-4 hover:underline"
    >
      Back to sign-in
    </Link>
  );
}
