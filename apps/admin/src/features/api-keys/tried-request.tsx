'use client';

import { Check, X } from 'lucide-react';

import { refusingOf, type DryRunAnswer, type TriedLimit, type TryFailure } from '../../api/dry-run';
import { Table, type Column } from '../../design/table';
import { limitWords } from '../limits/limit-words';
import { RefusalSum } from '../limits/refusal-sum';
import { checkWords, holdWords } from './try-words';

/** The decision in words: each check, the sum, limits before and after, and where the request would go. */
export function TriedRequest({ answer }: { readonly answer: DryRunAnswer | TryFailure }) {
  if ('failure' in answer) return <p className="break-words text-bad">{answer.failure}</p>;
  const { checks, error, hold, limits, screening } = answer;
  const refusing = refusingOf(answer);
  return (
    <div className="flex flex-col gap-4 border-t pt-4">
      {error === null ? (
        <p className="font-medium text-good">The request would be allowed.</p>
      ) : (
        <div>
          <p className="font-medium text-bad">
            The request would be refused with {String(error.status)}{' '}
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
          <span className="font-medium">Held while it runs:</span> {holdWords(hold)}
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
      <Candidates answer={answer} />
      {screening?.servicesNotAsked !== undefined && screening.servicesNotAsked > 0 && (
        <p className="text-sm text-ink-soft">
          {String(screening.servicesNotAsked)} screening rules ask services, which were not asked.
        </p>
      )}
    </div>
  );
}

function Checks({ checks }: Pick<DryRunAnswer, 'checks'>) {
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

const LIMIT_COLUMNS: Column<TriedLimit>[] = [
  {
    title: 'Limit',
    cell: (limit) => (
      <>
        {limitWords({ ...limit, spent: 0, held: 0 })}
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

function amount({ metric }: TriedLimit, value: string | number | null): string {
  if (value === null) return 'unknown';
  return metric === 'COST' ? `$${String(value)}` : String(value);
}

function Candidates({ answer }: { readonly answer: DryRunAnswer }) {
  const { candidates, leftOut, routing } = answer;
  if (candidates.length === 0 && leftOut.length === 0) return null;
  return (
    <div className="text-sm">
      <p className="font-medium">
        {routing === null
          ? 'Where it goes'
          : `Where it goes by the routing policy ${routing.policy} (${routing.strategy.replaceAll('_', ' ')})`}
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
