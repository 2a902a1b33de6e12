'use client';

import { Wrench } from 'lucide-react';

import { CopyButton } from '../../design/copy-button';
import { showUsd } from '../../format/money';
import { showCount, showDuration } from '../../format/numbers';
import { httpOf, Refused } from './refused';
import type { ToolCall } from './stream';
import type { Question, Turn } from './use-conversation';

/** One turn: the message, and the response, its tool calls or the refusal. */
export function TurnView({ turn }: { turn: Turn }) {
  const { question, model, reply, state } = turn;
  const nothingYet = reply.text === '' && reply.toolCalls.length === 0;
  return (
    <article className="flex flex-col gap-3" aria-label={`Question to ${model}`}>
      <Asked question={question} />
      {reply.text !== '' && (
        <div
          data-testid="answer"
          className="max-w-[85%] rounded-lg bg-sunken px-3.5 py-2 break-words whitespace-pre-wrap"
        >
          {reply.text}
        </div>
      )}
      {reply.toolCalls.length > 0 && <ToolCalls calls={reply.toolCalls} />}
      {state === 'running' && nothingYet && (
        <p role="status" className="animate-pulse px-1 text-ink-faint">
          Waiting for {model}…
        </p>
      )}
      {reply.error !== undefined && (
        <Refused {...reply.error} facts={[httpOf(reply.status), reply.requestId]} />
      )}
      {state !== 'running' && <Footer turn={turn} />}
    </article>
  );
}

function Asked({ question: { text, images } }: { question: Question }) {
  return (
    <div className="ml-auto flex max-w-[85%] flex-col items-end gap-2">
      {images.length > 0 && (
        <ul className="flex flex-wrap justify-end gap-2">
          {images.map(({ name, url }, index) => (
            <li key={index}>
              <img src={url} alt={name} className="max-h-32 max-w-48 rounded-md border" />
            </li>
          ))}
        </ul>
      )}
      {text !== '' && (
        <p className="rounded-lg bg-accent-soft px-3.5 py-2 break-words whitespace-pre-wrap">
          {text}
        </p>
      )}
    </div>
  );
}

function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  return (
    <ul aria-label="Calls of tools" className="flex max-w-[85%] flex-col gap-2">
      {calls.map((call, index) => (
        <li key={index} className="rounded-lg border bg-surface px-3.5 py-2">
          <p className="flex items-center gap-2 text-sm font-medium">
            <Wrench className="size-4 text-ink-faint" aria-hidden />
            <span className="font-mono break-all">{call.name}</span>
          </p>
          <pre className="mt-1 font-mono text-sm break-words whitespace-pre-wrap text-ink-soft">
            {shownJson(call.arguments)}
          </pre>
        </li>
      ))}
    </ul>
  );
}

/** Formatted once the JSON is complete. */
function shownJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Incomplete or invalid JSON is shown raw.
    return text;
  }
}

function Footer({ turn }: { turn: Turn }) {
  const { model, reply, state } = turn;
  const { tokensIn, tokensOut, costUsd, firstMs, totalMs } = reply;
  const facts: [string, string | undefined][] = [
    ['Model', reply.provider === undefined ? model : `${model} (${reply.provider})`],
    ['Tokens in', tokensIn === undefined ? undefined : showCount(tokensIn)],
    ['Tokens out', tokensOut === undefined ? undefined : showCount(tokensOut)],
    ['Cost', costUsd === undefined ? undefined : showUsd(costUsd)],
    ['First token', firstMs === undefined ? undefined : showDuration(firstMs)],
    ['Total', totalMs === undefined ? undefined : showDuration(totalMs)],
  ];
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-faint">
      {state === 'stopped' && (
        <span className="text-warn">Stopped. Tokens generated so far are charged; see Usage.</span>
      )}
      <dl className="flex flex-wrap gap-x-4 gap-y-1">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} className="flex gap-1.5">
              <dt>{name}</dt>
              <dd className="text-ink-soft tabular-nums">{value}</dd>
            </div>
          ),
        )}
      </dl>
      {reply.text !== '' && <CopyButton text={reply.text} label="Copy answer" look="quiet" />}
    </footer>
  );
}
