'use client';

import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';
import { Bench } from '../screening/bench';

/** Runs code on a text, before it is saved. */
export function CodeBench({ code }: { readonly code: string }) {
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  return (
    <Bench
      title="Try the code"
      label="Run"
      rows={3}
      most={rest.SCREENING_TEST_CHARACTERS}
      run={(text, place) =>
        client.call(rest.testScreeningCode, {
          params: { organisationId },
          body: { code, place, text },
        })
      }
      view={(tested) => <Tested {...tested} />}
    />
  );
}

function refusalOf(message: string | null): string {
  return message === null ? 'It refuses, without a message.' : `It refuses: “${message}”`;
}

function Tested({
  error,
  findings,
  logs,
  message,
  model,
  ms,
  tags,
  verdict,
}: rest.ScreeningCodeTested) {
  return (
    <>
      {error === null ? (
        <p className={verdict === 'BLOCK' ? 'text-bad' : undefined}>
          {verdict === 'BLOCK' ? refusalOf(message) : 'It passes.'}{' '}
          {findings.length > 0 &&
            `Findings: ${findings.map(({ end, label, start }) => `${label} ${String(start)}–${String(end)}`).join(', ')}.`}
          {model !== null && ` It chooses the model ${model}.`}
          {Object.entries(tags).map(([key, value]) => ` It sets the tag ${key}:${value}.`)}
        </p>
      ) : (
        <p className="text-bad">No verdict: {error}</p>
      )}
      <p className="text-ink-soft">{ms} ms</p>
      {logs.length > 0 && (
        <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono whitespace-pre-wrap">
          {logs.join('\n')}
        </pre>
      )}
    </>
  );
}
