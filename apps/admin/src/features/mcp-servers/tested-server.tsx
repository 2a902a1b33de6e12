'use client';

import type { rest } from '@tollgate/contracts';
import { Activity, CircleAlert, CircleCheck } from 'lucide-react';

import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural, showDuration } from '../../format/numbers';
import { useServerTest } from './server-test';
import { TestedTools } from './tested-tools';

const STAGE_WORDS: Readonly<Record<rest.McpTestStage, string>> = {
  RUNNER: 'The runner could not be used',
  AUTH: 'The credentials could not be used',
  CONNECT: 'The connection failed',
  INITIALIZE: 'The server did not start a session',
  LIST_TOOLS: 'The tools could not be listed',
};

const ERA_WORDS: Readonly<Record<rest.McpEra, string>> = {
  LEGACY: 'with sessions',
  MODERN: 'without sessions',
};

/** Tests the connection on request: what the server speaks, how fast, and its tools with their pins. */
export function TestedServer({ server }: { server: rest.McpServer }) {
  const { data, error, isFetching, refetch } = useServerTest(server);
  const asked = data !== undefined || error !== null;
  return (
    <>
      <Card
        title="Connection"
        action={
          <Button size="small" busy={isFetching} onClick={() => void refetch()}>
            <Activity aria-hidden />
            {asked ? 'Test again' : 'Test connection'}
          </Button>
        }
      >
        {isFetching && <SkeletonRows rows={2} label="Testing the connection" />}
        {!isFetching && error !== null && <Failure error={error} />}
        {!isFetching && error === null && data !== undefined && <Result test={data} />}
        {!isFetching && !asked && (
          <p className="text-ink-soft">
            The test connects to the server with the saved settings and lists its tools. It changes
            nothing.
          </p>
        )}
      </Card>
      {!isFetching && data !== undefined && (data.ok || data.tools.length > 0) && (
        <TestedTools server={server} test={data} />
      )}
    </>
  );
}

function Result({ test }: { test: rest.McpServerTest }) {
  const { ok, error, era, protocolVersion, serverInfo, latencyMs, tools, truncated } = test;
  return (
    <div className="flex flex-col gap-4">
      <p role={ok ? 'status' : 'alert'} className="flex items-start gap-2">
        {ok ? (
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-hidden />
        ) : (
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
        )}
        <span className="min-w-0 break-words">
          {ok
            ? `The server answered in ${showDuration(latencyMs)}.`
            : error === null
              ? 'The test failed.'
              : `${STAGE_WORDS[error.stage]}: ${error.message}`}
        </span>
      </p>
      {(serverInfo !== null || protocolVersion !== null) && (
        <Facts
          facts={[
            ...(serverInfo === null
              ? []
              : [
                  {
                    name: 'Server',
                    value: `${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`,
                  },
                ]),
            {
              name: 'Protocol version',
              value: `${protocolVersion ?? 'unknown'}${era === null ? '' : ` (${ERA_WORDS[era]})`}`,
            },
            {
              name: 'Tools',
              value: `${plural(tools.length, 'tool')}${truncated ? ', and more that the test does not read' : ''}`,
            },
          ]}
        />
      )}
    </div>
  );
}
