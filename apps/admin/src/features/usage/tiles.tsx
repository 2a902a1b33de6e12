import { formatUsd, parseUsd, type rest } from '@tollgate/contracts';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

import { Skeleton } from '../../design/skeleton';
import { showUsd, usdAsNumber } from '../../format/money';
import { plural, showCount, showDuration, showPart, showShort } from '../../format/numbers';
import { cachedShare } from './cached';
import { changeOf } from './compare';

type Measures = rest.UsageMeasures;

interface TilesProps {
  readonly totals: Measures;
  /** The previous period; undefined without comparison. */
  readonly previous: Measures | undefined;
  /** Totals with percentiles; undefined while they load. */
  readonly latency:
    { readonly totals: Measures; readonly previous: Measures | undefined } | undefined;
}

/** Usage totals, compared with the previous period. */
export function Tiles({ totals, previous, latency }: TilesProps) {
  const { requests, errors, tokensIn, tokensOut, costUsd } = totals;
  const tokens = tokensIn + tokensOut;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-3 xl:grid-cols-6">
      <Tile name="Spend" note={costNote(totals)}>
        {showUsd(costUsd)}
        <Delta
          now={usdAsNumber(costUsd)}
          before={previous && usdAsNumber(previous.costUsd)}
          was={previous && showUsd(previous.costUsd)}
        />
      </Tile>
      <Tile name="Requests" note={perAnswer(tokens, requests)}>
        <span title={showCount(requests)}>{short(requests)}</span>
        <Delta
          now={requests}
          before={previous?.requests}
          was={previous && showCount(previous.requests)}
        />
      </Tile>
      <Tile name="Tokens" note={tokensNote(totals)}>
        <span title={showCount(tokens)}>{showShort(tokens)}</span>
        <Delta
          now={tokens}
          before={previous && previous.tokensIn + previous.tokensOut}
          was={previous && showCount(previous.tokensIn + previous.tokensOut)}
        />
      </Tile>
      <Tile name="Errors" note={errorsNote(requests, errors)}>
        <span title={showCount(errors)}>{short(errors)}</span>
        <Delta
          now={errors}
          before={previous?.errors}
          was={previous && showCount(previous.errors)}
          moreIsBad
        />
      </Tile>
      <Tile name="Saved by caches" note={`by routing ${showUsd(totals.routingSavedUsd)}`}>
        {showUsd(totals.cacheSavedUsd)}
        <Delta
          now={usdAsNumber(totals.cacheSavedUsd)}
          before={previous && usdAsNumber(previous.cacheSavedUsd)}
          was={previous && showUsd(previous.cacheSavedUsd)}
        />
      </Tile>
      <LatencyTile latency={latency} />
    </dl>
  );
}

function LatencyTile({ latency }: Pick<TilesProps, 'latency'>) {
  if (latency === undefined) {
    return (
      <Tile name="Latency, p95" note="loading">
        <Skeleton className="my-1 h-5 w-16" />
      </Tile>
    );
  }
  const now = latency.totals.latencyMs;
  const before = latency.previous?.latencyMs;
  if (now === null || now.p95 === null) {
    return (
      <Tile name="Latency, p95" note="no requests">
        —
      </Tile>
    );
  }
  const half = now.p50 === null ? '' : `half within ${showDuration(now.p50)}`;
  return (
    <Tile name="Latency, p95" note={half}>
      {showDuration(now.p95)}
      <Delta
        now={now.p95}
        before={before?.p95 ?? undefined}
        was={typeof before?.p95 === 'number' ? showDuration(before.p95) : undefined}
        moreIsBad
      />
    </Tile>
  );
}

interface TileProps {
  readonly name: string;
  readonly note: string;
  readonly children: ReactNode;
}

function Tile({ name, note, children }: TileProps) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-xl font-semibold tracking-tight tabular-nums">
        {children}
      </dd>
      <dd className="text-sm text-ink-faint">{note}</dd>
    </div>
  );
}

interface DeltaProps {
  readonly now: number;
  readonly before: number | undefined;
  /** The previous value as text. */
  readonly was: string | undefined;
  readonly moreIsBad?: boolean;
}

/** The change compared with the previous period. More money is neither good nor bad; more errors are bad. */
export function Delta({ now, before, was, moreIsBad = false }: DeltaProps) {
  if (before === undefined) return null;
  const { direction, words, slight } = changeOf(now, before);
  if (words === '') return null;
  const Arrow = direction === 'up' ? ArrowUp : ArrowDown;
  const tone =
    !moreIsBad || slight ? 'text-ink-soft' : direction === 'up' ? 'text-bad' : 'text-good';
  return (
    <span
      className={clsx('inline-flex items-center gap-0.5 text-sm font-normal tracking-normal', tone)}
      {...(was === undefined ? {} : { title: `${was} in the previous period` })}
    >
      {direction !== 'same' && <Arrow className="size-3.5" aria-hidden />}
      {words}
      <span className="sr-only"> compared with the previous period</span>
    </span>
  );
}

const LONG = 10_000_000;

function short(count: number): string {
  return count < LONG ? showCount(count) : showShort(count);
}

function tokensNote(totals: Measures): string {
  const share = cachedShare(totals) ?? 0;
  const cached = share > 0 ? ` (${showPart(share)} cached)` : '';
  return `${showShort(totals.tokensIn)} in${cached}, ${showShort(totals.tokensOut)} out`;
}

function perAnswer(tokens: number, requests: number): string {
  return requests === 0 ? 'none yet' : `${showShort(tokens / requests)} tokens each`;
}

export function errorsNote(requests: number, errors: number): string {
  if (errors === 0) return 'none';
  return `${showPart(errors / Math.max(1, requests))} of ${plural(requests, 'request')}`;
}

/** The average cost of a request, to a billionth of a dollar. */
function costNote({ requests, costUsd }: Measures): string {
  if (requests === 0) return 'nothing spent';
  const nano = parseUsd(costUsd, { allowNegative: true });
  return `${showUsd(formatUsd(nano / BigInt(requests)))} per request`;
}
