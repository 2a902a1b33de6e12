'use client';

import { rest } from '@tollgate/contracts';
import { CircleAlert } from 'lucide-react';

import { Card } from '../../design/card';
import { CopyButton } from '../../design/copy-button';
import { Facts, type Fact } from '../../design/facts';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { plural } from '../../format/numbers';
import { waitWords } from '../../format/wait-words';
import { SwitchStatus } from '../../resource/switch-status';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { AUTH_WORDS } from './auth-fields';
import { ruleWords } from './rules-draft';

/** The settings of a server: how clients reach it, how the gateway reaches it, prices and rules. */
export function AboutServer({ server }: { server: rest.McpServer }) {
  const { timeZone } = useOrganisation();
  const { edgeUrl } = useScope();
  const mayWrite = useMay('mcp-servers.write');
  const { identifier, status, statusNote, createdAt } = server;
  const address = `${edgeUrl}/v1/mcp/${identifier}`;
  return (
    <Card title="About">
      {statusNote !== null && (
        <p role="alert" className="mb-4 flex items-start gap-2 text-warn">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="min-w-0 break-words">{statusNote}</span>
        </p>
      )}
      <Facts
        facts={[
          { name: 'Status', value: <SwitchStatus status={status} /> },
          {
            name: 'Address for clients',
            value: (
              <span className="flex flex-wrap items-center gap-2">
                <code className="min-w-0 font-mono text-sm break-all">{address}</code>
                <CopyButton text={address} label="Copy address" />
              </span>
            ),
          },
          ...(mayWrite ? connectionFacts(server) : []),
          { name: 'Region', value: server.region ?? 'unknown' },
          { name: 'Price per call', value: <Prices server={server} /> },
          { name: 'Failed calls', value: server.chargeFailures ? 'charged' : 'free' },
          ...rest.MCP_RULE_KINDS.map((kind) => ({
            name: `Rule for ${kind}`,
            value: ruleWords(kind, server[kind]),
          })),
          { name: 'Pinned', value: plural(server.pinnedTools.length, 'tool') },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{server.id}</code> },
        ]}
      />
    </Card>
  );
}

function connectionFacts(server: rest.McpServer): readonly Fact[] {
  const { url, command, auth, secretPreview, headers, transport } = server;
  const headerNames = Object.keys(headers);
  return [
    {
      name: command === null ? 'URL' : 'Command',
      value: <span className="font-mono text-sm break-all">{url ?? command ?? '—'}</span>,
    },
    ...(auth === null || transport === 'STDIO'
      ? []
      : [{ name: 'Authentication', value: AUTH_WORDS[auth.type] }]),
    {
      name: 'Secret',
      value:
        secretPreview === null ? (
          'none'
        ) : (
          <span className="font-mono text-sm">{secretPreview}</span>
        ),
    },
    ...(headerNames.length === 0 ? [] : [{ name: 'Headers sent', value: headerNames.join(', ') }]),
    {
      name: 'Timeouts',
      value: `${waitWords(server.connectTimeoutMs)} connect, ${waitWords(server.idleTimeoutMs)} idle`,
    },
  ];
}

const PRICES_SHOWN = 5;

function Prices({ server: { callPriceUsd, toolPricesUsd } }: { server: rest.McpServer }) {
  const own = Object.entries(toolPricesUsd);
  return (
    <>
      {showUsd(callPriceUsd)}
      {own.length > 0 && (
        <ul className="text-sm text-ink-soft">
          {own.slice(0, PRICES_SHOWN).map(([tool, usd]) => (
            <li key={tool} className="break-words">
              {showUsd(usd)} for {tool}
            </li>
          ))}
          {own.length > PRICES_SHOWN && <li>and {String(own.length - PRICES_SHOWN)} more</li>}
        </ul>
      )}
    </>
  );
}
