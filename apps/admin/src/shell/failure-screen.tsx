'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useTransition } from 'react';

import { ApiError } from '../api/rest-client';
import { Failure } from '../design/failure';
import { currentProblem } from './catalog-problem';
import { Logo } from './logo';

interface FailureProps {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
}

/** Shown instead of a page that failed. */
export function FailureScreen(failure: FailureProps) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center gap-6 px-4 py-10">
      <Logo />
      <FailureContent {...failure} />
    </main>
  );
}

const PASSES = 503;

export function FailureContent({ status, code, message, requestId }: FailureProps) {
  const passes = status === PASSES;
  useReturn(passes);
  return (
    <>
      <h1 className="text-xl font-semibold tracking-tight">This page cannot be shown right now</h1>
      <Failure
        error={new ApiError(status, code, message, [], requestId)}
        onRetry={() => location.reload()}
      />
      {passes && (
        <p className="text-ink-soft">
          The page tries again every two seconds and appears by itself. Requests of your
          applications do not need the catalog while their keys are cached.
        </p>
      )}
    </>
  );
}

const RETRY_MS = 2_000;

/** Renders the page again on the server once the catalog answers. */
function useReturn(active: boolean): void {
  const router = useRouter();
  const [rendering, start] = useTransition();
  useEffect(() => {
    if (!active || rendering) return undefined;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const again = async (): Promise<void> => {
      const problem = await currentProblem();
      if (over) return;
      if (problem === null) start(() => router.refresh());
      else timer = setTimeout(() => void again(), RETRY_MS);
    };
    timer = setTimeout(() => void again(), RETRY_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [active, rendering, router]);
}
