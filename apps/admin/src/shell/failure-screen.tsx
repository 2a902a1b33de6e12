'use client';

import { ApiError } from '../api/rest-client';
import { Failure } from '../design/failure';
import { Logo } from './logo';

interface FailureScreenProps {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
}

/** Shown instead of a page that failed. */
export function FailureScreen({ status, code, message, requestId }: FailureScreenProps) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center gap-6 px-4 py-10">
      <Logo />
      <h1 className="text-xl font-semibold tracking-tight">This page cannot be shown right now</h1>
      <Failure
        error={new ApiError(status, code, message, [], requestId)}
        onRetry={() => location.reload()}
      />
    </main>
  );
}
