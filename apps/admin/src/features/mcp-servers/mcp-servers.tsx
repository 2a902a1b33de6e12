'use client';

import { MCP_TRANSPORTS, rest } from '@tollgate/contracts';
import { KeyRound, Plug } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { TRANSPORT_WORDS } from './mcp-fields';
import { mcpActions, McpWindows, type McpWindow } from './server-actions';

/** Tool servers and the keys that may use them. */
export function McpServers() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('mcp-servers.write');
  const columns = useMcpColumns();
  const [window, setWindow] = useState<McpWindow>();
  return (
    <ListPage
      title="MCP servers"
      description="Servers of tools, prompts and resources. Keys reach them through the gateway."
      create={
        mayWrite && { label: 'Add MCP server', onSelect: () => setWindow({ open: 'create' }) }
      }
      buttons={
        mayWrite && (
          <Button onClick={() => setWindow({ open: 'grants' })}>
            <KeyRound aria-hidden />
            Grants of a key
          </Button>
        )
      }
      source={sourceOf(rest.listMcpServers, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[
        {
          name: 'transport',
          label: 'Transport',
          any: 'Any transport',
          values: MCP_TRANSPORTS,
          wordOf: (value) => WORDS.get(value) ?? value,
        },
        { name: 'status', label: 'Status', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && ((server) => mcpActions({ server, client, open: setWindow }))}
      empty={{
        icon: Plug,
        title: 'No MCP servers yet',
        text: mayWrite
          ? 'Add a server, then grant it to the keys of the applications that need its tools.'
          : 'Servers that are granted to your keys are listed here.',
      }}
    >
      <McpWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

const WORDS: ReadonlyMap<string, string> = new Map(Object.entries(TRANSPORT_WORDS));

function useMcpColumns(): readonly ListColumn<rest.McpServer>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.McpServer>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name, identifier }) => (
          <>
            <Link
              href={pageOf(scope, `mcp-servers/${id}`)}
              className="block break-words text-accent underline-offset-4 hover:underline"
            >
              {name}
            </Link>
            <span className="block font-mono text-xs font-normal text-ink-faint">{identifier}</span>
          </>
        ),
      },
      { title: 'Transport', from: 'md', cell: ({ transport }) => TRANSPORT_WORDS[transport] },
      {
        title: 'Address',
        from: 'sm',
        cell: ({ url, command }) => (
          <span className="font-mono text-sm break-all text-ink-soft">{url ?? command ?? '—'}</span>
        ),
      },
      {
        title: 'Status',
        cell: ({ status }) => <SwitchStatus status={status} />,
      },
      {
        title: 'Price per call',
        from: 'md',
        align: 'right',
        cell: ({ callPriceUsd }) => showUsd(callPriceUsd),
      },
      {
        title: 'Secret',
        hidden: true,
        cell: ({ secretPreview }) =>
          secretPreview === null ? (
            <span className="text-ink-faint">none</span>
          ) : (
            <span className="font-mono text-sm">{secretPreview}</span>
          ),
      },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'lg',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}
