'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, ListChecks, Pencil } from 'lucide-react';

import type { RestClient } from '../../api/rest-client';
import type { MenuAction } from '../../design/menu';
import { deleteAction, turnAction } from '../../resource/actions';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { GrantsOfKey, GrantToKeys } from './grant-forms';
import { McpForm } from './mcp-form';
import { RulesForm } from './rules-form';

/** The open dialog. */
export type McpWindow =
  | { readonly open: 'create' }
  | { readonly open: 'grants'; readonly apiKeyId?: string }
  | { readonly open: 'edit' | 'grant' | 'rules'; readonly server: rest.McpServer }
  | { readonly open: 'ask'; readonly question: Question };

interface ActionsOf {
  readonly server: rest.McpServer;
  readonly client: RestClient;
  readonly open: (window: McpWindow) => void;
  /** Called after the deletion. */
  readonly onDeleted?: () => void;
}

const STALE = [rest.listMcpServers.id, rest.getMcpServer.id];

/** Actions of a server. */
export function mcpActions({ server, client, open, onDeleted }: ActionsOf): readonly MenuAction[] {
  const { organisationId, id: mcpServerId, name, status } = server;
  const params = { organisationId, mcpServerId };
  const ask = (question: Question): void => open({ open: 'ask', question });
  return [
    { label: 'Grant to keys', icon: KeyRound, onSelect: () => open({ open: 'grant', server }) },
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', server }) },
    { label: 'Edit rules', icon: ListChecks, onSelect: () => open({ open: 'rules', server }) },
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
      stale: STALE,
      ask,
    }),
    deleteAction({
      noun: 'MCP server',
      name,
      consequence:
        'Deletes its secret, its pins and all its grants. Recorded usage is kept. This cannot be undone.',
      run: () => client.call(rest.deleteMcpServer, { params }),
      stale: [rest.listMcpServers.id],
      onDone: onDeleted,
      ask,
    }),
  ];
}

interface McpWindowsProps {
  readonly window: McpWindow | undefined;
  readonly onClose: () => void;
}

export function McpWindows({ window, onClose }: McpWindowsProps) {
  if (window === undefined) return null;
  switch (window.open) {
    case 'create':
      return <McpForm onClose={onClose} />;
    case 'grants':
      return (
        <GrantsOfKey
          {...(window.apiKeyId === undefined ? {} : { apiKeyId: window.apiKeyId })}
          onClose={onClose}
        />
      );
    case 'edit':
      return <McpForm mcpServerId={window.server.id} onClose={onClose} />;
    case 'grant':
      return <GrantToKeys server={window.server} onClose={onClose} />;
    case 'rules':
      return <RulesForm mcpServerId={window.server.id} onClose={onClose} />;
    case 'ask':
      return <ConfirmDialog question={window.question} onClose={onClose} />;
  }
}
