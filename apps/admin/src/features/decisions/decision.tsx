'use client';

import type { rest } from '@tollgate/contracts';
import { Check, X } from 'lucide-react';

import { Table, type Column } from '../../design/table';
import { showExactUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { limitWords } from '../limits/limit-words';
import { RefusalSum } from '../limits/refusal-sum';
import { checkWords, holdWords, SOURCE_WORDS } from './decision-words';
import { refusingOf } from './refusing-limit';

interface DecisionProps {
  readonly answer: rest.ExplainedDecision;
  /** Whether the request was sent; else it is a dry run. */
  readonly sent: boolean;
}

/** A decision in words: each check, the sum, limits before and after, and where the request goes. */
export function Decision({ answer, sent }: DecisionProps) {
  const { checks, error, experiment, hold, limits, screening } = answer;
  const refusing = refusingOf(answer);
  const was = sent ? 'was' : 'would be';
  return (
    <div className="flex flex-col gap-4">
      {error === null ? (
        <p className="font-medium text-good">The request {was} allowed.</p>
      ) : (
        <div>
          <p className="font-medium text-bad">
            The request {was} refused with {String(error.status)}{' '}
            <code className="font-mono text-sm">{error.code}</code>.
          </p>
          <p className="mt-1 text-sm break-words">{error.message}</p>
        </div>
      )}
      {refusing !== undefined && (
        <RefusalSum {...refusing} modelHref={undefined} of="this request" />
      )}
      <Checks checks={checks} />
      {hold !== null && (
        <p className="text-sm">
          <span className="font-medium">{heldWords(sent, error === null)}</span> {holdWords(hold)}
        </p>
      )}
      {limits.length > 0 && (
        <Table
          caption="Limits before and after"
          columns={LIMIT_COLUMNS}
          rows={limits}
          keyOf={({ id }) => id}
        />
      )}
      <Candidates answer={answer} sent={sent} />
      {experiment !== null && (
        <p className="text-sm">
          Arm {experiment.arm} of the experiment {experiment.experiment}
        </p>
      )}
      {screening?.servicesNotAsked !== undefined && screening.servicesNotAsked > 0 && (
        <p className="text-sm text-ink-soft">
          {String(screening.servicesNotAsked)} screening rules ask services, which were not asked.
        </p>
      )}
    </div>
  );
}

function heldWords(sent: boolean, allowed: boolean): string {
  if (!sent) return 'Held while it runs:';
  return allowed ? 'Held while it ran:' : 'It would have held:';
}

function Checks({ checks }: Pick<rest.ExplainedDecision, 'checks'>) {
  return (
    <ul aria-label="Checks" className="flex flex-col gap-1 text-sm">
      {checks.map(({ check, passed }) => (
        <li key={check} className="flex items-start gap-2">
          {passed ? (
            <Check className="mt-0.5 size-4 shrink-0 text-good" aria-label="passed" />
          ) : (
            <X className="mt-0.5 size-4 shrink-0 text-bad" aria-label="refused" />
          )}
          {checkWords(check)}
        </li>
      ))}
    </ul>
  );
}

const LIMIT_COLUMNS: Column<rest.ExplainedLimit>[] = [
  {
    title: 'Limit',
    cell: (limit) => (
      <>
        {limitWords({ ...limit, spent: 0, held: 0 })}
        {SOURCE_WORDS[limit.source] !== undefined && (
          <span className="block text-sm text-ink-faint">{SOURCE_WORDS[limit.source]}</span>
        )}
        {limit.exceeded && (
          <span className="block text-sm text-bad">
            {limit.mode === 'SOFT' ? 'exceeded, only told' : 'no room'}
          </span>
        )}
      </>
    ),
  },
  { title: 'Spent', align: 'right', cell: (limit) => amount(limit, limit.before.settled) },
  { title: 'Held', align: 'right', cell: (limit) => amount(limit, limit.before.held) },
  { title: 'This request', align: 'right', cell: (limit) => amount(limit, limit.requested) },
  {
    title: 'Left after it',
    align: 'right',
    cell: (limit) => (limit.exceeded ? '–' : amount(limit, limit.after?.remaining ?? null)),
  },
];

function amount({ metric }: rest.ExplainedLimit, value: string | number | null): string {
  if (value === null) return 'unknown';
  return metric === 'COST' ? showExactUsd(String(value)) : showCount(Number(value));
}

function Candidates({ answer, sent }: DecisionProps) {
  const { candidates, leftOut, routing } = answer;
  if (candidates.length === 0 && leftOut.length === 0) return null;
  const goes = sent ? 'Where it could go, in this order' : 'Where it goes';
  return (
    <div className="text-sm">
      <p className="font-medium">
        {goes}
        {routing !== null &&
          ` by the routing policy ${routing.policy} (${routing.strategy.replaceAll('_', ' ')})`}
      </p>
      <ol className="mt-1 list-decimal pl-5">
        {candidates.map(({ model, modelId, provider, region, translation }) => (
          <li key={modelId}>
            {model} at {provider}
            {region ? ` in ${region}` : ''}
            {translation?.translated === true && `, written as ${translation.format ?? ''}`}
            {(translation?.dropped?.length ?? 0) > 0 &&
              `, without ${translation?.dropped?.join(', ') ?? ''}`}
            {translation?.error !== undefined && `: ${translation.error.message}`}
            {translation === null && ': its provider cannot do this'}
          </li>
        ))}
      </ol>
      {leftOut.length > 0 && (
        <p className="mt-1 text-ink-soft">
          Left out:{' '}
          {leftOut
            .map(
              ({ model, modelId, reason }) =>
                `${model ?? modelId} (${reason.replaceAll('_', ' ')})`,
            )
            .join(', ')}
        </p>
      )}
    </div>
  );
}
