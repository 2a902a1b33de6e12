'use client';

import { rest } from '@tollgate/contracts';
import { useSyncExternalStore } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { showTime } from '../../format/time';
import { useOrganisation } from '../../shell/scope';
import { stateWords } from './state-words';

/** The refresh interval of upstream states. */
export const REFRESH_MS = 10_000;

/** The current upstream state of a model. Upstreams that never failed have none. */
export function UpstreamState({ modelId }: { modelId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(
    rest.listUpstreamStatuses,
    { params: { organisationId }, query: { modelId, limit: 1 } },
    { refreshMs: REFRESH_MS },
  );
  if (data === undefined) return null;
  const [status] = data.data;
  return status === undefined ? <Badge tone="good">in use</Badge> : <StateBadge status={status} />;
}

export function StateBadge({ status }: { status: rest.UpstreamStatus }) {
  const { timeZone } = useOrganisation();
  const nowMs = useNow();
  const { label, tone, until } = stateWords(status, nowMs);
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Badge tone={tone}>{label}</Badge>
      {until !== null && (
        <span className="text-sm text-ink-soft">until {showTime(until, 'moment', timeZone)}</span>
      )}
    </span>
  );
}

const TICK_MS = 1_000;

/** Time in whole seconds, so that server and browser render the same. */
function useNow(): number {
  return useSyncExternalStore(onTick, thisSecond, () => 0);
}

function onTick(tell: () => void): () => void {
  const timer = setInterval(tell, TICK_MS);
  return () => clearInterval(timer);
}

function thisSecond(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}
