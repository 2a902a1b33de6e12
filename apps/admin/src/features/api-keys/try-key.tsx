'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { askDryRun, type DryRunAnswer, type TryFailure, type TryFormat } from '../../api/dry-run';
import { useRead } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { SelectField, TextAreaField } from '../../design/text-field';
import { useOrganisation } from '../../shell/scope';
import { Decision } from '../decisions/decision';
import { USABLE_QUERY } from './queries';
import { bodyFor, bodyIn, FORMAT_CHOICES } from './try-words';

/** Asks what the gateway would decide about a request of this key. Nothing is sent to a provider. */
export function TryKey({ apiKey }: { readonly apiKey: rest.ApiKey }) {
  const { id: organisationId } = useOrganisation();
  const params = { organisationId, apiKeyId: apiKey.id };
  const { data: usable } = useRead(rest.listUsableModels, { params, query: USABLE_QUERY });
  const [chosen, setChosen] = useState<string>();
  const [format, setFormat] = useState<TryFormat>('unified');
  /** Undefined: the example of the format. */
  const [written, setWritten] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<DryRunAnswer | TryFailure>();
  const names = usable?.data.map(({ name }) => name) ?? [];
  const model = chosen ?? names[0] ?? '';
  const text = written ?? bodyFor(format, model);

  const ask = async (): Promise<void> => {
    const body = bodyIn(text);
    setProblem(body === undefined ? 'The body must be a JSON object.' : undefined);
    if (body === undefined) return;
    setBusy(true);
    setAnswer(await askDryRun(params, { format, model: model || 'none', body }));
    setBusy(false);
  };

  return (
    <Card
      title="Try as this key"
      hint="what the gateway would decide; nothing is held, sent or recorded"
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Model"
            value={model}
            choices={names.map((name) => ({ value: name, label: name }))}
            disabled={names.length === 0}
            onChange={(name) => {
              setChosen(name);
              setWritten(undefined);
            }}
          />
          <SelectField
            label="Format"
            value={format}
            choices={FORMAT_CHOICES}
            onChange={(next) => {
              setFormat(next);
              setWritten(undefined);
            }}
          />
        </div>
        <TextAreaField
          label="Body"
          hint="JSON, as the client sends it. Models that the key may not use can be named too."
          rows={8}
          className="font-mono text-sm"
          spellCheck={false}
          value={text}
          error={problem}
          onChange={setWritten}
        />
        <div>
          <Button look="primary" busy={busy} onClick={() => void ask()}>
            Explain the decision
          </Button>
        </div>
        <div role="status" aria-live="polite">
          {answer !== undefined && <Answer answer={answer} />}
        </div>
      </div>
    </Card>
  );
}

function Answer({ answer }: { readonly answer: DryRunAnswer | TryFailure }) {
  if ('failure' in answer) return <p className="break-words text-bad">{answer.failure}</p>;
  return (
    <div className="border-t pt-4">
      <Decision answer={answer} sent={false} />
    </div>
  );
}
