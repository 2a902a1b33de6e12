'use client';

import { rest } from '@tollgate/contracts';
import { CircleCheck } from 'lucide-react';
import Link from 'next/link';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { LinkButton } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural } from '../../format/numbers';
import { pageOf, paths, withQuery } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { lastDay } from '../usage/last-day';
import { needsOf, type Need } from './needs';
import { BUDGETS_QUERY, OPEN_QUERY, REFUSED_QUERY } from './queries';

const REFRESH_MS = 15_000;
const SHOWN = 8;
const UNSEEN_SHOWN = 20;

/** What somebody has to look at in the organisation, each with one link. */
export function WhatNeedsYou({ nowMs }: { nowMs: number }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const params = { organisationId };
  const live = { refreshMs: REFRESH_MS };
  const day = lastDay(nowMs);
  const mayReadUpstreams = useMay('routing-policies.read');
  const refused = useRead(
    rest.listRefusedRequests,
    { params, query: { ...REFUSED_QUERY, ...day } },
    live,
  );
  const budgets = useRead(rest.listBudgets, { params, query: BUDGETS_QUERY }, live);
  const models = useRead(rest.listModels, { params, query: { limit: rest.PAGE_LIMIT } });
  const used = useRead(rest.exploreUsage, {
    params,
    query: { ...day, groupBy: 'model', orderBy: 'requests', top: rest.EXPLORER_TOP },
  });
  const upstreams = useRead(
    rest.listUpstreamStatuses,
    { params, query: OPEN_QUERY },
    { ...live, enabled: mayReadUpstreams },
  );
  const mayReadAlerts = useMay('alerts.read');
  const alerts = useRead(
    rest.listAlerts,
    { params, query: { seen: 'false', limit: UNSEEN_SHOWN } },
    { ...live, enabled: mayReadAlerts },
  );
  const reads = [refused, budgets, models, used, ...(mayReadUpstreams ? [upstreams] : [])];
  const failed = reads.find(({ error }) => error !== null);
  const loaded =
    refused.data !== undefined &&
    budgets.data !== undefined &&
    models.data !== undefined &&
    used.data !== undefined &&
    (upstreams.data !== undefined || !mayReadUpstreams);
  const needs = loaded
    ? needsOf({
        refused: refused.data.data,
        budgets: budgets.data.data,
        models: models.data.data,
        requestsOf: new Map(
          used.data.groups.map(({ group, totals }) => [group.id ?? '', totals.requests]),
        ),
        upstreams: upstreams.data?.data ?? [],
        unseenAlerts: {
          count: alerts.data?.data.length ?? 0,
          more: (alerts.data?.nextCursor ?? null) !== null,
        },
        nowMs,
      })
    : undefined;
  return (
    <NeedsCard
      needs={needs}
      refused={refused.data?.total}
      hrefOf={({ action: { page, query = {} } }) => withQuery(pageOf(scope, page), query)}
      refusedHref={pageOf(scope, 'refusals')}
      error={failed?.error ?? null}
      onRetry={() => void Promise.all(reads.map(({ refetch }) => refetch()))}
    />
  );
}

/** The same of the platform: unknown keys and entries that cannot be booked. */
export function WhatPlatformNeeds({ nowMs }: { nowMs: number }) {
  const live = { refreshMs: REFRESH_MS };
  const mayReadLedger = useMay('platform.ledger.read');
  const refused = useRead(
    rest.listPlatformRefusedRequests,
    { query: { ...REFUSED_QUERY, ...lastDay(nowMs) } },
    live,
  );
  const quarantine = useRead(
    rest.listQuarantine,
    { query: { status: 'OPEN', limit: rest.PAGE_LIMIT } },
    { ...live, enabled: mayReadLedger },
  );
  const mayCorrect = useMay('platform.usage.correct');
  const corrections = useRead(
    rest.listPlatformPriceCorrections,
    { query: { status: 'OPEN', limit: UNSEEN_SHOWN } },
    { ...live, enabled: mayCorrect },
  );
  const reads = [refused, quarantine, corrections];
  const failed = reads.find(({ error }) => error !== null);
  const needs =
    refused.data === undefined ||
    (mayReadLedger && quarantine.data === undefined) ||
    (mayCorrect && corrections.data === undefined)
      ? undefined
      : [
          ...quarantined(quarantine.data?.data.length ?? 0),
          ...undecided({
            count: corrections.data?.data.length ?? 0,
            more: (corrections.data?.nextCursor ?? null) !== null,
          }),
          ...unknownKeys(refused.data.data),
          ...refusedOrganisations(refused.data.data),
        ];
  return (
    <NeedsCard
      needs={needs}
      refused={refused.data?.total}
      hrefOf={({ action: { page, query = {} } }) => withQuery(paths.platform(page), query)}
      refusedHref={paths.platform('refusals')}
      error={failed?.error ?? null}
      onRetry={() => void Promise.all(reads.map(({ refetch }) => refetch()))}
    />
  );
}

function quarantined(entries: number): Need[] {
  if (entries === 0) return [];
  return [
    {
      id: 'quarantine',
      tone: 'bad',
      what: `${plural(entries, 'ledger entry', 'ledger entries')} in quarantine`,
      why: 'They could not be booked, so the books lack their usage.',
      action: { label: 'Open the ledger', page: 'ledger' },
    },
  ];
}

function undecided({ count, more }: { count: number; more: boolean }): Need[] {
  if (count === 0) return [];
  return [
    {
      id: 'corrections',
      tone: 'warn',
      what: `${more ? 'More than ' : ''}${plural(count, 'price correction')} to decide`,
      why: 'Organisations say that requests were booked at a wrong price.',
      action: { label: 'Decide', page: 'corrections', query: { status: 'OPEN' } },
    },
  ];
}

function unknownKeys(refused: readonly rest.RefusedRequest[]): Need[] {
  const count = refused
    .filter(({ organisation, code }) => organisation === null && code === 'invalid_api_key')
    .reduce((sum, row) => sum + row.count, 0);
  if (count === 0) return [];
  return [
    {
      id: 'unknown keys',
      tone: 'warn',
      what: 'Unknown keys are sent',
      why: `${plural(count, 'request')} had a key that does not exist.`,
      action: { label: 'See which', page: 'refusals', query: { keyless: 'true' } },
    },
  ];
}

function refusedOrganisations(refused: readonly rest.RefusedRequest[]): Need[] {
  const provider = refused.filter(({ code }) => code === 'provider_auth_failed');
  const count = provider.reduce((sum, row) => sum + row.count, 0);
  if (count === 0) return [];
  const names = [...new Set(provider.map(({ organisation }) => organisation?.name ?? ''))];
  return [
    {
      id: 'provider keys',
      tone: 'bad',
      what: 'Providers reject their API keys',
      why: `${plural(count, 'request')} failed, of ${names.slice(0, 3).join(', ')}.`,
      action: { label: 'See which', page: 'refusals', query: { code: 'provider_auth_failed' } },
    },
  ];
}

interface NeedsCardProps {
  readonly needs: readonly Need[] | undefined;
  /** Requests that were refused or failed in the last day. */
  readonly refused: number | undefined;
  readonly hrefOf: (need: Need) => string;
  readonly refusedHref: string;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

function NeedsCard({ needs, refused, hrefOf, refusedHref, error, onRetry }: NeedsCardProps) {
  return (
    <Card
      title="What needs you"
      hint="in the last 24 hours"
      action={
        refused !== undefined && (
          <LinkButton size="small" href={refusedHref}>
            {plural(refused, 'request')} refused or failed
          </LinkButton>
        )
      }
      flush
    >
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={onRetry} />
        </div>
      )}
      {error === null && needs === undefined && (
        <SkeletonRows rows={2} label="Loading what needs you" />
      )}
      {error === null && needs?.length === 0 && (
        <p className="flex items-center gap-2 p-4 text-ink-soft">
          <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
          All is well. Nothing needs you.
        </p>
      )}
      {error === null && needs !== undefined && needs.length > 0 && (
        <ul className="divide-y">
          {needs.slice(0, SHOWN).map((need) => (
            <li key={need.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-2 font-medium break-words">
                  {need.what}
                  <Badge tone={need.tone}>{need.tone === 'bad' ? 'act now' : 'look'}</Badge>
                </p>
                <p className="text-sm break-words text-ink-soft">{need.why}</p>
              </div>
              <Link
                href={hrefOf(need)}
                className="text-sm text-accent underline-offset-4 hover:underline"
              >
                {need.action.label}
                <span className="sr-only">: {need.what}</span>
              </Link>
            </li>
          ))}
          {needs.length > SHOWN && (
            <li className="px-4 py-2 text-sm text-ink-faint">
              and {String(needs.length - SHOWN)} more
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}
