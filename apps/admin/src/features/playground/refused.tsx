'use client';

import { CircleAlert } from 'lucide-react';
import Link from 'next/link';

import { ORGANISATION_NAVIGATION, visible } from '../../shell/navigation';
import { pageOf } from '../../shell/paths';
import { useScope } from '../../shell/scope';
import { stepHere } from './refusal';

interface RefusedProps {
  readonly code: string;
  readonly message: string;
  /** HTTP status, code of the protocol, request id: what support teams ask for. */
  readonly facts: readonly (string | undefined)[];
}

/** A refusal or failure: what happened, what to do about it, and where. */
export function Refused({ code, message, facts }: RefusedProps) {
  const scope = useScope();
  const step = stepHere(code);
  const page = step?.page;
  const entries = visible(ORGANISATION_NAVIGATION, scope.me.actions).flatMap(
    (section) => section.entries,
  );
  return (
    <div role="alert" className="flex max-w-[85%] gap-3 rounded-lg bg-bad-soft px-3.5 py-2.5">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium break-words text-bad">{message}</p>
        {step !== undefined && (
          <p className="text-sm">
            {step.words}
            {page !== undefined && entries.some((entry) => entry.page === page.path) && (
              <>
                {' '}
                <Link href={pageOf(scope, page.path)} className="text-accent underline">
                  {page.label}
                </Link>
              </>
            )}
          </p>
        )}
        <p className="font-mono text-xs break-all text-ink-soft">
          {[code, ...facts].filter(Boolean).join(' · ')}
        </p>
      </div>
    </div>
  );
}

export function httpOf(status: number | null | undefined): string | undefined {
  return status === undefined || status === null || status === 200
    ? undefined
    : `HTTP ${String(status)}`;
}
