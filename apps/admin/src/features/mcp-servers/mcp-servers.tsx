'use client';

import { MCP_TRANSPORTS, rest } from '@tollgate/contracts';
import { Info, KeyRound, Pencil, Plug } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { deleteAction, turnAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { GrantsOfKey, GrantToKeys } from './grant-forms';
import { TRANSPORT_WORDS } from './mcp-fields';
import { McpForm } from './mcp-form';

type McpWindow =
  | { readonly open: 'create' | 'grants' }
  | { readonly open: 'edit' | 'grant'; readonly server: rest.McpServer }
  | { readonly open: 'ask'; readonly question: Question };

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
      description="Tool servers and the keys that may use them."
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
      above={
        <p className="flex items-start gap-2.5 rounded-md bg-accent-soft px-4 py-3 text-sm">
          <Info className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
          The gateway does not serve MCP yet. Servers and grants that you configure here take effect
          once it does.
        </p>
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
      actions={mayWrite && ((server) => actionsOf(server, client, setWindow))}
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

function actionsOf(
  server: rest.McpServer,
  client: RestClient,
  open: (window: McpWindow) => void,
): readonly MenuAction[] {
  const { organisationId, id: mcpServerId, name, status } = server;
  const params = { organisationId, mcpServerId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    { label: 'Grant to keys', icon: KeyRound, onSelect: () => open({ open: 'grant', server }) },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', server }) },
    turnAction({
      noun: 'MCP server',
      name,
      client,
      status,
      set: (next) => [rest.updateMcpServer, { params, body: { status: next } }],
      consequence: {
        on: 'Keys with a grant may use it again.',
        off: 'No key may use it until it is turned on again.',
      },
      stale: [rest.listMcpServers.id],
      ask,
    }),
    deleteAction({
      noun: 'MCP server',
      name,
      consequence: 'Deletes its secret and all its grants. This cannot be undone.',
      run: () => client.call(rest.deleteMcpServer, { params }),
      stale: [rest.listMcpServers.id],

      ask,
    }),
  ];
}

interface McpWindowsProps {
  readonly window: McpWindow | undefined;
  readonly onClose: () => void;
}

function McpWindows({ window, onClose }: McpWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <McpForm onClose={onClose} />;
    case 'grants':
      return <GrantsOfKey onClose={onClose} />;
    case 'edit':
      return <McpForm mcpServerId={window.server.id} onClose={onClose} />;
    case 'grant':
      return <GrantToKeys server={window.server} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}

function useMcpColumns(): readonly ListColumn<rest.McpServer>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.McpServer>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ name, identifier }) => (
          <>
            <span className="block break-words">{name}</span>
            <span className="block font-mono text-xs font-normal text-ink-faint">{identifier}</span>
          </>
        ),
      },
      { title: 'Transport', from: 'md', cell: ({ transport }) => TRANSPORT_WORDS[transport] },
      {
        title: 'Address',
        from: 'sm',
        cell: ({ url, command, args }) => (
          <span className="font-mono text-sm break-all text-ink-soft">
            {url ?? [command, ...args].join(' ')}
          </span>
        ),
      },
      {
        title: 'Status',
        cell: ({ status }) =>
          status === 'ACTIVE' ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>,
      },
      {
        title: 'Secret',
        from: 'lg',
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
    [timeZone],
  );
}
