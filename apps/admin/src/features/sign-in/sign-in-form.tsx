'use client';

import { rest } from '@tollgate/contracts';
import { useEffect, useState, type FormEvent } from 'react';
import { useRest } from '../../api/provider';
import { shown, type ApiError, type RestClient } from '../../api/rest-client';
import { Button } from '../../design/button';
import { Failure } from '../../design/failure';
import { Field, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';

type SignInFormProps = {
  readonly next: string;
  /** The page was opened from another site: strict cookies stay behind, though there may be a session. */
  readonly fromElsewhere: boolean;
};

export function SignInForm({ next, fromElsewhere }: SignInFormProps) {
  const client = useRest();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  // Before the page's script runs, the browser itself would send the form.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);

  useEffect(() => {
    if (fromElsewhere) void goOn(client, next);
  }, [client, fromElsewhere, next]);

  const signIn = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    setBusy(true);
    setError(undefined);
    try {
      const body = { email: text('email'), password: text('password') };
      await client.call(SIGN_IN, { body });
      // A full load, so that nothing of an earlier user is left in memory.
      location.assign(next);
    } catch (failure) {
      setError(shown(failure));
      setBusy(false);
    }
  };

  return (
    <form
      method="post"
      onSubmit={(event) => void signIn(event)}
      className="flex flex-col gap-4"
      noValidate
    >
      {error !== undefined && error.details.length === 0 && <Failure error={error} />}
      <Field label="Email" error={fieldError(error, 'email')}>
        {(props) => (
          <TextInput
            {...props}
            name="email"
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
          />
        )}
      </Field>
      <Field label="Password" error={fieldError(error, 'password')}>
        {(props) => (
          <TextInput
            {...props}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={busy} disabled={!ready}>
        {busy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

async function goOn(client: RestClient, target: string): Promise<void> {
  try {
    await client.call(rest.getMe, {});
  } catch {
    // No session after all: the form is what is needed.
    return;
  }
  location.replace(target);
}

/** The console's server keeps the tokens for itself and answers without a body. */
const SIGN_IN = { ...rest.login, response: rest.nothing, status: 204 } as const;
