'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { useRest } from '../../../api/provider';
import { showUsd } from '../../../format/money';
import { pageOf } from '../../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../../shell/scope';

const ASK_EVERY_MS = 1_000;
const MAX_ASKED = 15;

interface CallCostProps {
  readonly requestId: string;
  /** As the gateway answered; null: it is known once the request is booked. */
  readonly costUsd: string | null;
}

/** What the call cost, and the page of its record. */
export function CallCost({ requestId, costUsd }: CallCostProps) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const maySee = useMay('usage.read');
  const { data, failureCount } = useQuery({
    queryKey: [rest.getMcpUsageRecord.id, 'until booked', requestId],
    queryFn: ({ signal }) =>
      client.call(rest.getMcpUsageRecord, {
        params: { organisationId, mcpRecordId: requestId },
        signal,
      }),
    enabled: maySee && costUsd === null,
    // A record appears shortly after its request.
    retry: MAX_ASKED,
    retryDelay: ASK_EVERY_MS,
    staleTime: Infinity,
  });
  const cost = costUsd ?? data?.costUsd;
  return (
    <>
      <span>
        Cost{' '}
        <span className="text-ink-soft tabular-nums">
          {cost !== undefined ? showUsd(cost) : failureCount > MAX_ASKED ? 'not booked yet' : '…'}
        </span>
      </span>
      {maySee ? (
        <Link
          href={pageOf(scope, `usage/${requestId}`)}
          className="font-mono text-xs break-all text-accent underline-offset-4 hover:underline"
        >
          {requestId}
        </Link>
      ) : (
        <code className="font-mono text-xs break-all">{requestId}</code>
      )}
    </>
  );
}
