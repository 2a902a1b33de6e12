'use client';

import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';
import { plural } from '../../format/numbers';
import { useOrganisation } from '../../shell/scope';
import { Bench } from './bench';
import { ruleBodyOf, type RuleDraft } from './draft';

/** Tries the rules of a form on a text, before they are saved. */
export function TestBox({ rules }: { rules: readonly RuleDraft[] }) {
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  return (
    <Bench
      title="Try the rules"
      label="Try"
      rows={5}
      most={rest.SCREENING_TEST_CHARACTERS}
      run={(text, place) => {
        const body = { rules: rules.map(ruleBodyOf), place, text };
        return client.call(rest.testScreening, { params: { organisationId }, body });
      }}
      view={(tested) => <Tested {...tested} />}
    />
  );
}

function Tested({ blockedBy, breaches, hits, notAsked, text }: rest.ScreeningTested) {
  const rules = [...new Set(hits.map(({ ruleId }) => ruleId))];
  return (
    <>
      <p>
        {hits.length === 0
          ? `No rule finds ${breaches.length === 0 ? 'anything' : 'a text'}.`
          : `${plural(hits.length, 'hit')} of ${rules.join(', ')}.`}
      </p>
      {breaches.map(({ reason, ruleId }) => (
        <p key={`${ruleId} ${reason}`}>
          {ruleId}: {reason}.
        </p>
      ))}
      {blockedBy === null ? (
        <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono whitespace-pre-wrap">
          {text}
        </pre>
      ) : (
        <p className="text-bad">The rule {blockedBy} blocks the request.</p>
      )}
      {notAsked.length > 0 && (
        <p className="text-ink-soft">
          Not tried: {notAsked.join(', ')}. Services are not asked here, and rules about models and
          parameters need a request as JSON.
        </p>
      )}
    </>
  );
}
