'use client';

import { Wrench } from 'lucide-react';

import type { CallAnswer } from '../../../api/mcp-playground';
import { Badge } from '../../../design/badge';
import { showDuration } from '../../../format/numbers';
import { httpOf, Refused } from '../refused';
import { BlockView, LongText } from './block-view';
import { blockOf } from './blocks';
import { CallCost } from './call-cost';
import type { Call } from './use-calls';

/** One call: what was asked, and the result, the refusal or that it was stopped. */
export function CallView({ call }: { call: Call }) {
  const { tool, state, answer } = call;
  return (
    <article className="flex flex-col gap-3" aria-label={`Call of ${tool}`}>
      <div className="rounded-lg bg-accent-soft px-3.5 py-2">
        <p className="flex items-center gap-2 text-sm font-medium">
          <Wrench className="size-4 shrink-0 text-ink-faint" aria-hidden />
          <span className="font-mono break-all">{tool}</span>
        </p>
        <LongText label="Arguments" text={JSON.stringify(call.arguments, undefined, 2)} code />
      </div>
      {state === 'running' && (
        <p role="status" className="animate-pulse px-1 text-ink-faint">
          Waiting for {tool}…
        </p>
      )}
      {state === 'stopped' && (
        <p className="text-warn">
          Stopped. The tool may have run all the same; a call that reached the server is charged.
        </p>
      )}
      {answer?.kind === 'failure' && (
        <Refused
          code={answer.code}
          message={answer.message}
          facts={[
            httpOf(answer.status),
            answer.rpcCode === null ? undefined : `JSON-RPC ${String(answer.rpcCode)}`,
            answer.requestId ?? undefined,
          ]}
        />
      )}
      {answer?.kind === 'call' && <Result answer={answer} />}
    </article>
  );
}

function Result({ answer }: { answer: CallAnswer }) {
  const { content, structuredContent, isError, requestId, costUsd, durationMs } = answer;
  return (
    <div className="flex flex-col gap-3" data-testid="mcp-result">
      {isError && (
        <p role="alert">
          <Badge tone="bad">The tool reports an error</Badge>
        </p>
      )}
      {content.length === 0 && structuredContent === undefined && (
        <p className="text-ink-soft">The result is empty.</p>
      )}
      {content.map((raw, index) => (
        <BlockView key={index} block={blockOf(raw)} />
      ))}
      {structuredContent !== undefined && (
        <div>
          <p className="text-sm font-medium">Structured content</p>
          <LongText
            label="Structured content"
            text={JSON.stringify(structuredContent, undefined, 2)}
            code
          />
        </div>
      )}
      <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-faint">
        <span>
          Total <span className="text-ink-soft tabular-nums">{showDuration(durationMs)}</span>
        </span>
        {requestId !== null && <CallCost requestId={requestId} costUsd={costUsd} />}
      </footer>
    </div>
  );
}
