'use client';

import { useQueryClient } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { useToast } from '../../design/toast';
import { plural, showCount } from '../../format/numbers';
import { showTime } from '../../format/time';
import { useOrganisation } from '../../shell/scope';

/** How many bodies are kept, and their deletion. `keeps`: further ones are. */
export function KeptBodies({ keeps }: { readonly keeps: boolean }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const client = useRest();
  const queries = useQueryClient();
  const say = useToast();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { data } = useRead(rest.getKeptBodiesTotal, { params: { organisationId } });
  const clear = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await client.call(rest.clearKeptBodies, { params: { organisationId } });
      setAsking(false);
      say('Kept bodies deleted.');
      await queries.invalidateQueries({ queryKey: [rest.getKeptBodiesTotal.id] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  if (data === undefined || (data.allowed && data.requests === 0 && !keeps)) return null;
  const { allowed, bytes, oldestAt, requests } = data;
  return (
    <Card title="Kept bodies">
      {error !== undefined && <Failure error={error} onRetry={() => void clear()} />}
      <p className="mb-4 max-w-xl text-sm text-ink-soft">
        {!allowed && 'This installation does not keep bodies of requests. '}
        {requests === 0
          ? 'No request has a kept body.'
          : `Bodies of ${plural(requests, 'request')} are kept, ${showCount(bytes)} bytes together${oldestAt === null ? '' : `, the oldest of ${showTime(oldestAt, 'minute', timeZone)}`}.`}
        {requests > 0 &&
          !keeps &&
          ' No further bodies are kept. These stay until their end, unless you delete them.'}
      </p>
      {requests > 0 && !asking && (
        <Button onClick={() => setAsking(true)}>Delete kept bodies…</Button>
      )}
      {requests > 0 && asking && (
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-sm">They cannot be restored.</span>
          <Button look="danger" busy={busy} onClick={() => void clear()}>
            Delete all kept bodies
          </Button>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
        </div>
      )}
    </Card>
  );
}
