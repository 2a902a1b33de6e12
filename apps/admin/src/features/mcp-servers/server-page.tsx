'use client';

import { rest } from '@tollgate/contracts';
import { Wrench } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { LinkButton } from '../../design/button';
import { Tabs, useTab, type Tab } from '../../design/tabs';
import { DetailPage } from '../../resource/detail-page';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { UsageLink } from '../usage/usage-link';
import { AboutServer } from './about-server';
import { GrantsOfServer } from './grants-of-server';
import { TRANSPORT_WORDS } from './mcp-fields';
import { mcpActions, McpWindows, type McpWindow } from './server-actions';
import { ServerRequests } from './server-requests';
import { TestedServer } from './tested-server';

const TOOLS: Tab = { value: 'tools', label: 'Connection and tools' };
const GRANTS: Tab = { value: 'grants', label: 'Grants' };
const REQUESTS: Tab = { value: 'requests', label: 'Health and requests' };

/** An MCP server with its settings, tools, grants and requests. */
export function ServerPage({ mcpServerId }: { mcpServerId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getMcpServer, { params: { organisationId, mcpServerId } });
  const mayWrite = useMay('mcp-servers.write');
  const mayTry = useMay('playground.use');
  // Only those who may change a server may test it.
  const tabs = mayWrite ? [TOOLS, GRANTS, REQUESTS] : [GRANTS, REQUESTS];
  const tab = useTab(tabs);
  const [window, setWindow] = useState<McpWindow>();
  const server = read.data;
  return (
    <DetailPage
      noun="MCP server"
      read={read}
      title={({ name }) => name}
      description={({ transport }) => `MCP server · ${TRANSPORT_WORDS[transport]}`}
      links={
        <>
          {mayTry && server?.status === 'ACTIVE' && (
            <LinkButton href={playgroundHref(pageOf(scope, 'playground'), server.identifier)}>
              <Wrench aria-hidden />
              Try its tools
            </LinkButton>
          )}
          <UsageLink of={{ mcpServerId }} />
        </>
      }
      actions={
        server === undefined || !mayWrite
          ? []
          : mcpActions({
              server,
              client,
              open: setWindow,
              onDeleted: () => router.push(pageOf(scope, 'mcp-servers')),
            })
      }
      buttons={2}
      windows={<McpWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <AboutServer server={data} />
          <Tabs label="Parts of the MCP server" tabs={tabs} />
          {tab === TOOLS.value && <TestedServer server={data} />}
          {tab === GRANTS.value && <GrantsOfServer server={data} onOpen={setWindow} />}
          {tab === REQUESTS.value && <ServerRequests server={data} />}
        </>
      )}
    </DetailPage>
  );
}

function playgroundHref(path: string, identifier: string): string {
  const search = new URLSearchParams({ tab: 'mcp', server: identifier });
  return `${path}${path.includes('?') ? '&' : '?'}${search.toString()}`;
}
