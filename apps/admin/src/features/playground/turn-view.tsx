'use client';

import { CircleAlert } from 'lucide-react';
import { CopyButton } from '../../design/copy-button';
import { showUsd } from '../../format/money';
import { showCount, showDuration } from '../../format/numbers';
import type { Turn } from './use-conversation';

/** A question and what came back: text, or the refusal with its code, and what it took. */
export function TurnView({ turn }: { turn: Turn }) {
  const { question, model, reply, state } = turn;
  return (
    <article className="flex flex-col gap-3" aria-label={`Question to ${model}`}>
      <p className="ml-auto max-w-[85%] rounded-lg bg-accent-soft px-3.5 py-2 break-words whitespace-pre-wrap">
        {question}
      </p>
      {reply.text !== '' && (
        <div
          data-testid="answer"
          className="max-w-[85%] rounded-lg bg-sunken px-3.5 py-2 break-words whitespace-pre-wrap"
        >
          {reply.text}
        </div>
      )}
      {state === 'running' && reply.text === '' && (
        <p role="status" className="animate-pulse px-1 text-ink-faint">
          Waiting for {model}…
        </p>
      )}
      {reply.error !== undefined && (
        <div role="alert" className="flex max-w-[85%] gap-3 rounded-lg bg-bad-soft px-3.5 py-2.5">
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
          <div className="min-w-0">
            <p className="font-medium break-words text-bad">{reply.error.message}</p>
            <p className="font-mono text-xs break-all text-ink-soft">
              {[reply.error.code, httpOf(reply.status), reply.requestId]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </div>
        </div>
      )}
      {state !== 'running' && <Footer turn={turn} />}
    </article>
  );
}

function httpOf(status: number | undefined): string | undefined {
  return status === undefined || status === 200 ? undefined : `HTTP ${status}`;
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
        <span className="text-warn">
          Stopped. What was generated is charged; see Latest requests.
        </span>
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
