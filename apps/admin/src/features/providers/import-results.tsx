'use client';

import type { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { Badge, type Tone } from '../../design/badge';
import { TextField } from '../../design/text-field';
import { showCount } from '../../format/numbers';
import { pageOf } from '../../shell/paths';
import { useScope } from '../../shell/scope';
import { changed, type Choices } from './import-draft';

type Result = rest.ModelImported['results'][number];

const OUTCOMES: Readonly<Record<Result['outcome'], { tone: Tone; word: string }>> = {
  CREATED: { tone: 'good', word: 'created' },
  EXISTS: { tone: 'neutral', word: 'already existed' },
  NAME_TAKEN: { tone: 'bad', word: 'name taken' },
  NAME_INVALID: { tone: 'bad', word: 'name not allowed' },
  NOT_SERVED: { tone: 'bad', word: 'no route serves it' },
};

interface ImportResultsProps {
  /** The upstream names of models that were sent without a price. */
  readonly unpriced: ReadonlySet<string>;
  readonly imported: rest.ModelImported;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

/** The result for each model. Refused ones can be renamed. */
export function ImportResults({ imported, unpriced, choices, onChange }: ImportResultsProps) {
  const { created, existing, refused, results } = imported;
  const without = results.filter(
    ({ outcome, upstreamModel }) => outcome === 'CREATED' && unpriced.has(upstreamModel),
  );
  return (
    <>
      <p role="status" className="font-medium">
        {showCount(created)} created, {showCount(existing)} already existed, {showCount(refused)}{' '}
        refused.
      </p>
      {without.length > 0 && (
        <p className="rounded-md bg-warn-soft px-4 py-3 text-sm text-warn">
          {without.length === 1
            ? '1 new model has'
            : `${showCount(without.length)} new models have`}{' '}
          no price. Until you set one, requests under a budget or a cost quota are refused. Open a
          model below to set it.
        </p>
      )}
      <ul className="divide-y rounded-md border">
        {results.map((result) => (
          <li key={result.upstreamModel} className="flex flex-col gap-2 px-3 py-2">
            <ResultLine result={result} />
            {result.outcome === 'NOT_SERVED' && (
              <p className="text-sm text-bad">{result.message}</p>
            )}
            {result.modelId === null && result.outcome !== 'NOT_SERVED' && (
              <TextField
                label={`Another name for ${result.upstreamModel}`}
                error={result.message ?? undefined}
                value={choices.get(result.upstreamModel)?.name ?? result.name}
                onChange={(value) =>
                  onChange(changed(choices, result.upstreamModel, { name: value }))
                }
                spellCheck={false}
                maxLength={200}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function ResultLine({ result }: { result: Result }) {
  const scope = useScope();
  const { name, upstreamModel, outcome, modelId } = result;
  const { tone, word } = OUTCOMES[outcome];
  return (
    <div className="flex items-center gap-3">
      <span className="min-w-0 flex-1 break-all">
        {modelId === null ? (
          upstreamModel
        ) : (
          <Link
            href={pageOf(scope, `models/${modelId}`)}
            className="text-accent underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        )}
      </span>
      <Badge tone={tone}>{word}</Badge>
    </div>
  );
}
