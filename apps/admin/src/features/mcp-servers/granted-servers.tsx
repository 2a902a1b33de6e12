'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { useMay, useOrganisation } from '../../shell/scope';

const SHOWN = 12;

/** The names of the MCP servers that a key may use. */
export function GrantedServers({ apiKeyId }: { apiKeyId: string }) {
  const { id: organisationId } = useOrganisation();
  const { data, error } = useRead(rest.getApiKeyMcpServers, {
    params: { organisationId, apiKeyId },
  });
  if (error !== null) return <span className="text-bad">{error.message}</span>;
  if (data === undefined) return null;
  const { mcpServerIds } = data;
  if (mcpServerIds.length === 0) return <span className="text-ink-soft">none</span>;
  return (
    <ul>
      {mcpServerIds.slice(0, SHOWN).map((id) => (
        <li key={id}>
          <ServerName mcpServerId={id} />
        </li>
      ))}
      {mcpServerIds.length > SHOWN && (
        <li className="text-ink-faint">and {String(mcpServerIds.length - SHOWN)} more</li>
      )}
    </ul>
  );
}

function ServerName({ mcpServerId }: { mcpServerId: string }) {
  const { id: organisationId } = useOrganisation();
  const mayRead = useMay('mcp-servers.read');
  const params = { organisationId, mcpServerId };
  const { data } = useRead(rest.getMcpServer, { params }, { enabled: mayRead });
  return <>{data?.name ?? <code className="font-mono text-sm">{mcpServerId}</code>}</>;
}
