'use client';

import { rest } from '@tollgate/contracts';
import { Download, Plug } from 'lucide-react';
import { useState } from 'react';

import { Button, LinkButton } from '../../design/button';
import { Empty } from '../../design/empty';
import { useListQuery } from '../../design/use-list-query';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { ExportWindow } from './export-window';
import { ignoredOfMcp } from './ignored-filters';
import { mcpRecordsInput } from './list-inputs';
import { useMcpRecordColumns } from './mcp-columns';
import { usageMcpFilters } from './mcp-filters';
import type { Usage } from './use-usage';

/** The list of requests to MCP servers, newest first. */
export function McpRequests({ usage }: { usage: Usage }) {
  const { id: organisationId } = useOrganisation();
  const columns = useMcpRecordColumns('full');
  const list = useListQuery();
  const [exporting, setExporting] = useState(false);
  const ignored = ignoredOfMcp(usage.state.filters);
  return (
    <>
      {ignored.length > 0 && (
        <p role="status" className="text-ink-soft">
          This list does not filter by {ignored.join(' and ')}.
        </p>
      )}
      <ResourceList
        title="MCP requests"
        source={sourceOf(rest.listMcpUsageRecords, { organisationId })}
        fixed={mcpRecordsInput(usage.state)}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => `request ${id}`}
        filters={usageMcpFilters}
        actions={({ name }) =>
          name === null
            ? []
            : [{ label: `Only ${name.slice(0, 40)}`, icon: Plug, href: usage.hrefOf({ name }) }]
        }
        tools={
          <Button onClick={() => setExporting(true)}>
            <Download aria-hidden />
            Export
          </Button>
        }
        empty={<NoRequests usage={usage} />}
      />
      {exporting && (
        <ExportWindow of="mcp" usage={usage} get={list.get} onClose={() => setExporting(false)} />
      )}
    </>
  );
}

function NoRequests({ usage: { hrefOf } }: { usage: Usage }) {
  const scope = useScope();
  const mayServers = useMay('mcp-servers.read');
  return (
    <Empty
      icon={Plug}
      title="No MCP requests in this period"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <LinkButton href={hrefOf({ range: '12m', from: undefined, to: undefined })}>
            Show 12 months
          </LinkButton>
          {mayServers && (
            <LinkButton look="primary" href={pageOf(scope, 'mcp-servers')}>
              Open MCP servers
            </LinkButton>
          )}
        </div>
      }
    >
      Requests to MCP servers appear here once they are booked. If filters are set above, no request
      matches them.
    </Empty>
  );
}
