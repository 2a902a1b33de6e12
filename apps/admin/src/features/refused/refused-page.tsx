'use client';

import { ERRORS, isErrorCode, rest } from '@tollgate/contracts';
import { CircleCheck } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';

import { Badge } from '../../design/badge';
import { When } from '../../design/when';
import { ADVICE } from '../../errors/advice';
import { showCount } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { pageOf, paths } from '../../shell/paths';
import { useScope, useTimeZone } from '../../shell/scope';
import { LastRequestLink } from '../decisions/last-request-link';
import { LimitLink } from '../limits/limit-link';
import { limitWords } from '../limits/limit-words';

/** Refused and failed requests of the organisation, or of all. */
export function RefusedPage() {
  const { organisation } = useScope();
  const columns = useRefusedColumns();
  const shared = {
    title: 'Refused and failed',
    description:
      'Requests of the last 7 days that got an error, by cause. New ones appear after a few seconds.',
    create: false as const,
    columns,
    keyOf: ({ id }: rest.RefusedRequest) => id,
    nameOf: ({ code }: rest.RefusedRequest) => code,
    empty: {
      icon: CircleCheck,
      title: 'Nothing was refused',
      text: 'A request that is refused or fails appears here, with its cause and what to do.',
    },
  };
  const byCode = {
    name: 'code',
    label: 'Error code',
    any: 'Any code',
    values: Object.keys(ERRORS),
    wordOf: (code: string) => code,
  };
  if (organisation !== null) {
    const source = sourceOf(rest.listRefusedRequests, { organisationId: organisation.id });
    return <ListPage {...shared} source={source} filters={[byCode]} />;
  }
  const byKey = {
    name: 'keyless',
    label: 'Key',
    any: 'Any key',
    values: ['true', 'false'],
    wordOf: (value: string) => (value === 'true' ? 'Missing or unknown key' : 'Known key'),
  };
  const source = sourceOf(rest.listPlatformRefusedRequests, {});
  return <ListPage {...shared} source={source} filters={[byCode, byKey]} />;
}

function useRefusedColumns(): readonly ListColumn<rest.RefusedRequest>[] {
  const timeZone = useTimeZone();
  const wide = useScope().organisation === null;
  return useMemo<readonly ListColumn<rest.RefusedRequest>[]>(
    () => [
      { title: 'Refused with', cell: (refused) => <Cause refused={refused} /> },
      ...(wide
        ? [
            {
              title: 'Organisation',
              from: 'md' as const,
              cell: ({ organisation }: rest.RefusedRequest) =>
                organisation?.name ?? <span className="text-ink-faint">none</span>,
            },
          ]
        : []),
      { title: 'Key', cell: (refused) => <Key refused={refused} /> },
      { title: 'About', from: 'md', cell: (refused) => <About refused={refused} /> },
      {
        title: 'Requests',
        sort: 'count',
        align: 'right',
        cell: ({ count }) => showCount(count),
      },
      {
        title: 'First',
        from: 'xl',
        align: 'right',
        cell: ({ firstAt }) => <When instant={firstAt} timeZone={timeZone} format="minute" />,
      },
      {
        title: 'Last',
        sort: 'lastAt',
        from: 'lg',
        align: 'right',
        cell: ({ lastAt, lastRequestId }) => (
          <span title={`request ${lastRequestId}`}>
            <When instant={lastAt} timeZone={timeZone} format="moment" />
          </span>
        ),
      },
      {
        title: 'What to do',
        from: 'sm',
        cell: (refused) => (
          <>
            <Todo refused={refused} />
            {refused.organisation !== null && <LastRequestLink requestId={refused.lastRequestId} />}
          </>
        ),
      },
    ],
    [timeZone, wide],
  );
}

interface RefusedProps {
  readonly refused: rest.RefusedRequest;
}

const LINK = 'break-words text-accent underline-offset-4 hover:underline';

function Cause({ refused: { code, several } }: RefusedProps) {
  return (
    <>
      <code className="font-mono text-sm break-words">{code}</code>
      {several && (
        <>
          {' '}
          <Badge>several causes</Badge>
        </>
      )}
      <span className="block max-w-80 text-sm font-normal text-ink-faint">
        {isErrorCode(code) ? meaningOf(ERRORS[code].sentence) : 'A code of another release.'}
      </span>
    </>
  );
}

/** The first sentence says what happened; the rest tells the client what to do. */
function meaningOf(sentence: string): string {
  return /^.*?\.(?=\s|$)/.exec(sentence)?.[0] ?? sentence;
}

function Key({ refused }: RefusedProps) {
  const { apiKey, keyFingerprint, several, team } = refused;
  const href = useKeyHref(refused);
  if (keyFingerprint !== null) {
    return (
      <>
        Unknown key
        <span className="block text-sm text-ink-faint">
          SHA-256 starts with <code className="font-mono">{keyFingerprint}</code>
        </span>
      </>
    );
  }
  if (apiKey === null) {
    return <span className="text-ink-faint">{nobody(refused, several)}</span>;
  }
  const name = apiKey.name ?? 'Deleted key';
  return (
    <>
      {href === undefined ? (
        name
      ) : (
        <Link href={href} className={LINK}>
          {name}
        </Link>
      )}
      {team !== null && <span className="block text-sm text-ink-faint">{team.name}</span>}
    </>
  );
}

function nobody({ organisation }: rest.RefusedRequest, several: boolean): string {
  if (several) return 'several keys';
  return organisation === null ? 'no key' : 'playground';
}

/** A key's page is within its organisation, which the platform's list does not choose. */
function useKeyHref({ apiKey }: rest.RefusedRequest): string | undefined {
  const scope = useScope();
  if (apiKey === null || scope.organisation === null) return undefined;
  return pageOf(scope, `apikeys/${apiKey.id}`);
}

function About({ refused: { limit, model, provider } }: RefusedProps) {
  const scope = useScope();
  const linked = scope.organisation !== null;
  if (limit === null && model === null && provider === null) {
    return <span className="text-ink-faint">—</span>;
  }
  return (
    <div className="text-sm">
      {limit !== null &&
        (linked ? <LimitLink limit={limit}>{limitWords(limit)}</LimitLink> : limitWords(limit))}
      {model !== null && (
        <span className="block">
          model{' '}
          {model.id === null || !linked ? (
            model.name
          ) : (
            <Link href={pageOf(scope, `models/${model.id}`)} className={LINK}>
              {model.name}
            </Link>
          )}
        </span>
      )}
      {provider !== null && (
        <span className="block">
          provider{' '}
          {linked ? (
            <Link href={pageOf(scope, `providers/${provider.id}`)} className={LINK}>
              {provider.name ?? 'deleted'}
            </Link>
          ) : (
            (provider.name ?? 'deleted')
          )}
        </span>
      )}
    </div>
  );
}

function Todo({ refused: { code, keyFingerprint } }: RefusedProps) {
  const scope = useScope();
  if (keyFingerprint !== null && code === 'invalid_api_key') {
    return (
      <p className="max-w-80 text-sm text-ink-soft">
        Compare the fingerprint with the SHA-256 of the key that an application sends. Many
        fingerprints with one request each are somebody guessing.
      </p>
    );
  }
  if (code === 'missing_api_key') {
    return (
      <p className="max-w-80 text-sm text-ink-soft">
        Configure a key in the application. Probes of health belong to the operators’ port.
      </p>
    );
  }
  const advice = isErrorCode(code) ? ADVICE[code].ofKey : null;
  const words =
    advice?.words ?? (isErrorCode(code) ? ERRORS[code].sentence : 'Look up the code in the logs.');
  const { page } = advice ?? {};
  return (
    <div className="max-w-80 text-sm">
      <p className="text-ink-soft">{words}</p>
      {page !== undefined && (
        <Link
          href={scope.organisation === null ? paths.platform(page.path) : pageOf(scope, page.path)}
          className={LINK}
        >
          {page.label}
        </Link>
      )}
    </div>
  );
}
