'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural, showDuration } from '../../format/numbers';
import { useOrganisation } from '../../shell/scope';

/** What only requests to MCP servers have, on the page of the request. */
export function McpDetails({ requestId }: { requestId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.getMcpUsageRecord, {
    params: { organisationId, mcpRecordId: requestId },
  });
  return (
    <Card title="MCP">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <SkeletonRows rows={2} label="Loading the details of the MCP request" />
      )}
      {data !== undefined && <Details record={data} />}
    </Card>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'Tool',
  'prompts/get': 'Prompt',
  'resources/read': 'Resource',
};

function Details({ record }: { record: rest.McpUsageRecordDetail }) {
  const { method, name, jsonRpcErrorCode, isError, firstByteMs, traceId, sessionSha256 } = record;
  return (
    <Facts
      facts={[
        { name: 'Method', value: <code className="font-mono text-sm">{method}</code> },
        ...(name === null
          ? []
          : [
              {
                name: NAMES[method] ?? 'Name',
                value: <code className="font-mono text-sm break-all">{name}</code>,
              },
            ]),
        {
          name: 'Error of the tool',
          value: isError ? <Badge tone="warn">reported</Badge> : 'none',
        },
        {
          name: 'JSON-RPC error',
          value: jsonRpcErrorCode === null ? 'none' : String(jsonRpcErrorCode),
        },
        ...(record.resultType === null
          ? []
          : [{ name: 'Type of result', value: record.resultType }]),
        { name: 'Protocol version', value: record.protocolVersion ?? 'unknown' },
        { name: 'First byte', value: firstByteMs === null ? '—' : showDuration(firstByteMs) },
        { name: 'Request', value: plural(record.requestBytes, 'byte') },
        { name: 'Answer', value: plural(record.responseBytes, 'byte') },
        ...(sessionSha256 === null
          ? []
          : [{ name: 'Digest of the session', value: <Id value={sessionSha256} /> }]),
        ...(traceId === null ? [] : [{ name: 'Trace', value: <Id value={traceId} /> }]),
      ]}
    />
  );
}

function Id({ value }: { value: string }) {
  return <code className="font-mono text-sm break-all">{value}</code>;
}
