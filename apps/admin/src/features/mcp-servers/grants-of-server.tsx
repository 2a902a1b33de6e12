'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, Pencil } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';

import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';
import { rulesWords } from './rules-draft';
import type { McpWindow } from './server-actions';

interface GrantsOfServerProps {
  readonly server: rest.McpServer;
  readonly onOpen: (window: McpWindow) => void;
}

/** The keys that may use the server, with the rules of their grants. */
export function GrantsOfServer({ server, onOpen }: GrantsOfServerProps) {
  const mayGrant = useMay('mcp-servers.write');
  const mayEdit = useMay('apikeys.write');
  const columns = useColumns(server.id);
  const { organisationId, id: mcpServerId } = server;
  const grant = mayGrant && (
    <Button onClick={() => onOpen({ open: 'grant', server })}>
      <KeyRound aria-hidden />
      Grant to keys
    </Button>
  );
  return (
    <ResourceList
      title="Keys with a grant"
      source={sourceOf(rest.listApiKeys, { organisationId })}
      fixed={{ mcpServerId }}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[
        { name: 'status', label: 'Status', any: 'Any status', values: rest.API_KEY_STATUSES },
      ]}
      tools={grant}
      actions={
        mayEdit &&
        (({ id, status }) =>
          status === 'REVOKED'
            ? []
            : [
                {
                  label: 'Edit grants',
                  icon: Pencil,
                  onSelect: () => onOpen({ open: 'grants', apiKeyId: id }),
                },
              ])
      }
      empty={
        <Empty icon={KeyRound} title="No key may use this server yet" action={grant}>
          {mayGrant
            ? 'Grant it to the keys of the applications that need its tools.'
            : 'Ask an administrator to grant it to one of your keys.'}
        </Empty>
      }
    />
  );
}

function useColumns(mcpServerId: string): readonly ListColumn<rest.ApiKey>[] {
  const scope = useScope();
  return useMemo<readonly ListColumn<rest.ApiKey>[]>(
    () => [
      {
        title: 'Key',
        sort: 'name',
        cell: ({ id, name, preview }) => (
          <>
            <Link
              href={pageOf(scope, `apikeys/${id}`)}
              className="block break-words text-accent underline-offset-4 hover:underline"
            >
              {name}
            </Link>
            <span className="block font-mono text-xs font-normal text-ink-faint">{preview}</span>
          </>
        ),
      },
      { title: 'Status', cell: ({ status }) => sentence(status) },
      {
        title: 'May use',
        cell: ({ mcpGrants }) => {
          const grant = mcpGrants.find((candidate) => candidate.mcpServerId === mcpServerId);
          return grant === undefined ? '—' : rulesWords(grant).join('; ');
        },
      },
    ],
    [scope, mcpServerId],
  );
}
