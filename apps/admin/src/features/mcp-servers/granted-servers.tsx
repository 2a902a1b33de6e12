'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { useRead } from '../../api/provider';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { rulesWords } from './rules-draft';

const SHOWN = 12;

/** The MCP servers that a key may use, with the rules of its grants. */
export function GrantedServers({ grants }: { grants: readonly rest.McpGrant[] }) {
  if (grants.length === 0) return <span className="text-ink-soft">none</span>;
  return (
    <ul>
      {grants.slice(0, SHOWN).map((grant) => (
        <li key={grant.mcpServerId}>
          <ServerName mcpServerId={grant.mcpServerId} />
          <span className="block text-sm break-words text-ink-soft">
            {rulesWords(grant).join('; ')}
          </span>
        </li>
      ))}
      {grants.length > SHOWN && (
        <li className="text-ink-faint">and {String(grants.length - SHOWN)} more</li>
      )}
    </ul>
  );
}

function ServerName({ mcpServerId }: { mcpServerId: string }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const mayRead = useMay('mcp-servers.read');
  const params = { organisationId, mcpServerId };
  const { data } = useRead(rest.getMcpServer, { params }, { enabled: mayRead });
  if (data === undefined) return <code className="font-mono text-sm">{mcpServerId}</code>;
  return (
    <Link
      href={pageOf(scope, `mcp-servers/${mcpServerId}`)}
      className="break-words text-accent underline-offset-4 hover:underline"
    >
      {data.name}
    </Link>
  );
}
