'use client';

import { rest } from '@tollgate/contracts';
import { Ban, Pencil, Plug, RotateCw } from 'lucide-react';
import dynamic from 'next/dynamic';

import { useRest } from '../../api/provider';
import type { MenuAction } from '../../design/menu';
import { ConfirmDialog } from '../../resource/confirm-dialog';

const GrantsOfKey = dynamic(
  () => import('../mcp-servers/grant-forms').then((module) => module.GrantsOfKey),
  { ssr: false },
);
const EditKeyDialog = dynamic(
  () => import('./edit-key-dialog').then((module) => module.EditKeyDialog),
  { ssr: false },
);
const RotateKeyDialog = dynamic(
  () => import('./rotate-key-dialog').then((module) => module.RotateKeyDialog),
  { ssr: false },
);

export const REVOKED = 'The gateway refuses every request with this key. This cannot be undone.';

/** The open dialog and its key. */
export interface KeyWindow {
  readonly open: 'edit' | 'servers' | 'rotate' | 'revoke';
  readonly apiKey: rest.ApiKey;
}

/** Actions of a key. A revoked key has none. */
export function keyActions(
  apiKey: rest.ApiKey,
  open: (window: KeyWindow) => void,
): readonly MenuAction[] {
  if (apiKey.status === 'REVOKED') return [];
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => open({ open: 'edit', apiKey }) },
    { label: 'MCP servers', icon: Plug, onSelect: () => open({ open: 'servers', apiKey }) },
    {
      label: 'Replace secret',
      icon: RotateCw,
      onSelect: () => open({ open: 'rotate', apiKey }),
    },
    { label: 'Revoke', icon: Ban, danger: true, onSelect: () => open({ open: 'revoke', apiKey }) },
  ];
}

interface KeyWindowsProps {
  readonly window: KeyWindow | undefined;
  readonly onClose: () => void;
}

export function KeyWindows({ window, onClose }: KeyWindowsProps) {
  const client = useRest();
  if (window === undefined) return null;
  const { open, apiKey } = window;
  switch (open) {
    case 'edit':
      return <EditKeyDialog apiKeyId={apiKey.id} onClose={onClose} />;
    case 'servers':
      return <GrantsOfKey apiKeyId={apiKey.id} onClose={onClose} />;
    case 'rotate':
      return <RotateKeyDialog apiKey={apiKey} onClose={onClose} />;
    case 'revoke':
      return (
        <ConfirmDialog
          onClose={onClose}
          question={{
            title: `Revoke ${apiKey.name}?`,
            consequence: REVOKED,
            name: apiKey.name,
            confirm: 'Revoke key',
            cancel: 'Keep the key',
            run: () =>
              client.call(rest.revokeApiKey, {
                params: { organisationId: apiKey.organisationId, apiKeyId: apiKey.id },
              }),
            stale: [rest.listApiKeys.id, rest.getApiKey.id],
            done: `API key ${apiKey.name} revoked.`,
          }}
        />
      );
  }
}
