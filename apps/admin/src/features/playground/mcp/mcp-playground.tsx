'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { Plug, RotateCw, Trash2, Wrench } from 'lucide-react';
import { useState, type ReactNode } from 'react';

import { askMcp, type ListedTool, type McpAnswer } from '../../../api/mcp-playground';
import { useRead } from '../../../api/provider';
import { Button, LinkButton } from '../../../design/button';
import { Empty } from '../../../design/empty';
import { Failure } from '../../../design/failure';
import { Page } from '../../../design/page';
import { SkeletonRows } from '../../../design/skeleton';
import { SelectField } from '../../../design/text-field';
import { pageOf } from '../../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../../shell/scope';
import { httpOf, Refused } from '../refused';
import { PlaygroundTabs } from '../tabs';
import { ArgumentsForm } from './arguments-form';
import { CallView } from './call-view';
import { ToolList } from './tool-list';
import { useCalls } from './use-calls';

const SERVERS_QUERY = { status: 'ACTIVE', sort: 'name', limit: rest.PAGE_LIMIT } as const;

interface McpPlaygroundProps {
  /** The identifier of the server that is chosen first. */
  readonly firstServer: string | undefined;
}

/** Calls tools of an MCP server through the gateway, as an application would. */
export function McpPlayground({ firstServer }: McpPlaygroundProps) {
  const { id: organisationId } = useOrganisation();
  const [server, setServer] = useState(firstServer);
  const [tool, setTool] = useState<ListedTool>();
  const { calls, busy, call, stop, clear } = useCalls(organisationId);
  const choose = (next: string | undefined): void => {
    setServer(next);
    setTool(undefined);
  };
  return (
    <Page
      title="Playground"
      description="Try the tools of MCP servers through the gateway, with the same rules, limits, prices and errors as applications."
      fill
      actions={
        <Button onClick={clear} disabled={calls.length === 0}>
          <Trash2 aria-hidden />
          Clear
        </Button>
      }
    >
      <PlaygroundTabs />
      <div className="grid gap-5 lg:min-h-0 lg:flex-1 lg:grid-cols-[18rem_minmax(0,1fr)_minmax(0,1fr)]">
        <Panel label="Server and tools">
          <ServerChoice server={server} onChange={choose} />
          {server !== undefined && (
            <Tools key={server} server={server} chosen={tool?.name} onChoose={setTool} />
          )}
          <p className="text-sm text-ink-faint">
            Calls use a temporary key of yours that expires after 15 minutes. They count towards
            your limits.
          </p>
        </Panel>
        <Panel label="Tool">
          {server === undefined || tool === undefined ? (
            <Empty icon={Wrench} title="No tool chosen">
              Choose a server and one of its tools. The form for its arguments appears here.
            </Empty>
          ) : (
            <ChosenTool
              key={`${server} ${tool.name}`}
              tool={tool}
              busy={busy}
              onCall={(given) => void call({ server, tool: tool.name, arguments: given })}
              onStop={stop}
            />
          )}
        </Panel>
        <Panel label="Results">
          {calls.length === 0 ? (
            <Empty icon={Plug} title="No calls yet">
              Each result shows its content, cost, latency and request id.
            </Empty>
          ) : (
            calls.map((one) => <CallView key={one.id} call={one} />)
          )}
        </Panel>
      </div>
    </Page>
  );
}

interface PanelProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A part of the page that scrolls by itself on large screens. */
function Panel({ label, children }: PanelProps) {
  return (
    <section
      aria-label={label}
      className="flex min-w-0 flex-col gap-4 rounded-lg border bg-surface p-4 lg:min-h-0 lg:overflow-y-auto"
    >
      {children}
    </section>
  );
}

interface ServerChoiceProps {
  readonly server: string | undefined;
  readonly onChange: (server: string | undefined) => void;
}

const NONE = '';

function ServerChoice({ server, onChange }: ServerChoiceProps) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const mayWrite = useMay('mcp-servers.write');
  const { data, error, refetch } = useRead(rest.listMcpServers, {
    params: { organisationId },
    query: SERVERS_QUERY,
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={1} label="Loading the MCP servers" />;
  if (data.data.length === 0) {
    return (
      <div className="flex flex-col items-start gap-2">
        <p className="text-ink-soft">
          {mayWrite ? 'No active MCP server yet.' : 'None of your keys has an active MCP server.'}
        </p>
        {mayWrite && <LinkButton href={pageOf(scope, 'mcp-servers')}>Open MCP servers</LinkButton>}
      </div>
    );
  }
  const known = data.data.some(({ identifier }) => identifier === server);
  return (
    <SelectField
      label="MCP server"
      value={known ? (server ?? NONE) : NONE}
      choices={[
        { value: NONE, label: 'Choose a server' },
        ...data.data.map(({ identifier, name }) => ({ value: identifier, label: name })),
      ]}
      {...(data.nextCursor === null ? {} : { hint: 'Only the first 200 servers are listed.' })}
      onChange={(next) => onChange(next === NONE ? undefined : next)}
    />
  );
}

interface ToolsProps {
  readonly server: string;
  readonly chosen: string | undefined;
  readonly onChoose: (tool: ListedTool) => void;
}

/** The tools that the gateway lists for the temporary key. */
function Tools({ server, chosen, onChoose }: ToolsProps) {
  const { id: organisationId } = useOrganisation();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['tools for the playground', organisationId, server],
    queryFn: ({ signal }): Promise<McpAnswer> =>
      askMcp(organisationId, { action: 'tools', server }, signal),
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <>
      {error !== null && <Failure error={error} />}
      {data === undefined && isFetching && <SkeletonRows rows={4} label="Loading the tools" />}
      {data?.kind === 'failure' && (
        <Refused
          code={data.code}
          message={data.message}
          facts={[httpOf(data.status), data.requestId ?? undefined]}
        />
      )}
      {data?.kind === 'tools' && (
        <ToolList
          tools={data.tools}
          truncated={data.truncated}
          chosen={chosen}
          onChoose={onChoose}
        />
      )}
      <div>
        <Button size="small" busy={isFetching} onClick={() => void refetch()}>
          <RotateCw aria-hidden />
          List the tools again
        </Button>
      </div>
    </>
  );
}

interface ChosenToolProps {
  readonly tool: ListedTool;
  readonly busy: boolean;
  readonly onCall: (given: Readonly<Record<string, unknown>>) => void;
  readonly onStop: () => void;
}

function ChosenTool({ tool, busy, onCall, onStop }: ChosenToolProps) {
  const { name, title, description } = tool;
  return (
    <div className="flex flex-col gap-4">
      <header className="min-w-0">
        <h2 className="font-semibold break-words">{title ?? name}</h2>
        {title !== null && <p className="font-mono text-sm break-all text-ink-faint">{name}</p>}
        {description !== null && (
          <p className="mt-1 max-h-60 overflow-y-auto text-sm break-words whitespace-pre-line text-ink-soft">
            {description}
          </p>
        )}
      </header>
      <ArgumentsForm tool={tool} busy={busy} onCall={onCall} onStop={onStop} />
    </div>
  );
}
