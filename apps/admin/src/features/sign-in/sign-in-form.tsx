'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useEffect, useState, type FormEvent } from 'react';

import { useRest } from '../../api/provider';
import { ApiError, shown, type RestClient } from '../../api/rest-client';
import { Button, buttonClass } from '../../design/button';
import { Failure } from '../../design/failure';
import { fieldError } from '../../design/field-error';
import { TextField } from '../../design/text-field';
import { paths } from '../../shell/paths';
import { signIn } from './sign-in';
import type { SignInProblem } from './sign-in-problem';
import { useReady } from './use-ready';

interface SignInFormProps {
  readonly next: string;
  readonly methods: rest.SignInMethods;
  /** Why single sign-on failed. */
  readonly problem: SignInProblem | undefined;
  /**
   * The page was opened from another site, so strict cookies are missing although a session may
   * exist.
   */
  readonly fromElsewhere: boolean;
}

/** All sign-in methods of this gateway. */
export function SignInForm({ next, methods, problem, fromElsewhere }: SignInFormProps) {
  const client = useRest();
  useEffect(() => {
    if (fromElsewhere) void goOn(client, next);
  }, [client, fromElsewhere, next]);
  const { sso, password, passwordReset } = methods;
  return (
    <div className="flex flex-col gap-4">
      {problem !== undefined && <Failure error={new ApiError(0, problem.code, problem.sentence)} />}
      {sso !== null && (
        // An external page: a full navigation, not the router's.
        <a href={`${sso.path}?next=${encodeURIComponent(next)}`} className={buttonClass({})}>
          Sign in with {sso.name}
        </a>
      )}
      {sso !== null && password && <Or />}
      {password && <PasswordForm next={next} />}
      {passwordReset && (
        <Link
          href={paths.forgotPassword}
          className="self-start text-sm text-accent underline-offset-4 hover:underline"
        >
          Forgot your password?
        </Link>
      )}
    </div>
  );
}

function Or() {
  return (
    <p className="flex items-center gap-3 text-sm text-ink-faint">
      <span aria-hidden className="h-px flex-1 bg-line" />
      or
      <span aria-hidden className="h-px flex-1 bg-line" />
    </p>
  );
}

function PasswordForm({ next }: { next: string }) {
  const client = useRest();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const ready = useReady();

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    setBusy(true);
    setError(undefined);
    try {
      await signIn(client, text('email'), text('password'));
      // A full page load clears the previous user's data from memory.
      location.assign(next);
    } catch (failure) {
      setError(shown(failure));
      setBusy(false);
    }
  };

  return (
    <form
      method="post"
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-4"
      noValidate
    >
      {error !== undefined && error.details.length === 0 && <Failure error={error} />}
      <TextField
        label="Email"
        error={fieldError(error, 'email')}
        name="email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
      />
      <TextField
        label="Password"
        error={fieldError(error, 'password')}
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
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
    // No session: the form stays.
    return;
  }
  location.replace(target);
}
