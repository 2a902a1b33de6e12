'use client';

import { rest } from '@tollgate/contracts';
import { Send } from 'lucide-react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { When } from '../../design/when';
import { plural, showCount, showDuration } from '../../format/numbers';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useOrganisation } from '../../shell/scope';
import { useMcpRecordColumns } from '../usage/mcp-columns';
import { mcpRecordFilters } from '../usage/mcp-filters';
import { healthOf } from './health';

/** The records that the health is computed from. */
export const HEALTH_RECORDS = 200;

/** How the server did in its newest requests, then the requests. */
export function ServerRequests({ server }: { server: rest.McpServer }) {
  const { organisationId, id: mcpServerId } = server;
  const columns = useMcpRecordColumns();
  return (
    <>
      <HealthCard organisationId={organisationId} mcpServerId={mcpServerId} />
      <ResourceList
        title="Requests to the server"
        source={sourceOf(rest.listMcpUsageRecords, { organisationId })}
        fixed={{ mcpServerId }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => `request ${id}`}
        filters={mcpRecordFilters}
        empty={
          <Empty icon={Send} title="No requests yet">
            Requests to this server appear here once they are booked.
          </Empty>
        }
      />
    </>
  );
}

interface HealthCardProps {
  readonly organisationId: string;
  readonly mcpServerId: string;
}

function HealthCard({ organisationId, mcpServerId }: HealthCardProps) {
  const { timeZone } = useOrganisation();
  const { data, error, refetch } = useRead(rest.listMcpUsageRecords, {
    params: { organisationId },
    query: { mcpServerId, limit: HEALTH_RECORDS },
  });
  const health = data === undefined ? undefined : healthOf(data.data);
  return (
    <Card
      title="Health"
      hint={`of the newest ${showCount(HEALTH_RECORDS)} requests that you may see`}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && health === undefined && (
        <SkeletonRows rows={1} label="Loading the health" />
      )}
      {health?.requests === 0 && <p className="text-ink-soft">No requests yet.</p>}
      {health !== undefined && health.requests > 0 && (
        <Facts
          facts={[
            {
              name: 'Calls',
              value: `${showCount(health.calls)} of ${plural(health.requests, 'request')}`,
            },
            {
              name: 'Failed requests',
              value:
                health.errors === 0 ? (
                  '0'
                ) : (
                  <span className="text-bad">{showCount(health.errors)}</span>
                ),
            },
            { name: 'Errors that tools reported', value: showCount(health.toolErrors) },
            {
              name: 'Latency of calls, 95th percentile',
              value: health.p95Ms === undefined ? '—' : showDuration(health.p95Ms),
            },
            {
              name: 'Since',
              value: (
                <When
                  instant={health.oldest ?? null}
                  timeZone={timeZone}
                  format="moment"
                  never="—"
                />
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
