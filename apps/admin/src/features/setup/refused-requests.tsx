'use client';

import { isErrorCode, type rest } from '@tollgate/contracts';
import { CircleAlert } from 'lucide-react';
import Link from 'next/link';

import { When } from '../../design/when';
import { ADVICE } from '../../errors/advice';
import { pageOf } from '../../shell/paths';
import { useScope, useTimeZone } from '../../shell/scope';
import { limitWords } from '../limits/limit-words';

/** Requests that were refused or failed, each with its reason and what to do. */
export function RefusedRequests({ refused }: { refused: readonly rest.RefusedRequest[] }) {
  if (refused.length === 0) return null;
  return (
    <ul aria-label="Refused requests" className="flex flex-col gap-2">
      {refused.map((one) => (
        <li key={one.id} className="flex gap-3 rounded-md bg-bad-soft px-4 py-3">
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
          <RefusedRequest refused={one} />
        </li>
      ))}
    </ul>
  );
}

function RefusedRequest({ refused }: { refused: rest.RefusedRequest }) {
  const scope = useScope();
  const timeZone = useTimeZone();
  const { code, apiKey, model, limit, lastAt } = refused;
  const step = isErrorCode(code) ? ADVICE[code].ofKey : null;
  const keyless = apiKey === null ? KEYLESS_STEP[code] : undefined;
  return (
    <div className="min-w-0 text-sm">
      <p className="font-medium break-words text-bad">
        Refused with <code className="font-mono">{code}</code>
        {model !== null && ` for model ${model.name}`}
      </p>
      <p className="break-words text-ink-soft">
        {apiKey === null
          ? 'With a key that is missing or unknown'
          : `With ${apiKey.name ?? 'a deleted key'}`}
        {limit !== null && `, by the ${limitWords(limit)}`},{' '}
        <When instant={lastAt} timeZone={timeZone} format="moment" />.
      </p>
      <p className="break-words">{keyless ?? step?.words ?? 'See why on its page.'}</p>
      <Link
        href={pageOf(scope, step?.page?.path ?? 'refusals')}
        className="text-accent underline underline-offset-4"
      >
        {step?.page?.label ?? 'Open refused and failed'}
      </Link>
    </div>
  );
}

/** The remedy where no key is known. */
const KEYLESS_STEP: Readonly<Record<string, string>> = {
  invalid_api_key: 'Copy the key again, without spaces or quotes, or create another one.',
};
