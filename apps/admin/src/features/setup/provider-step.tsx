'use client';

import { rest, vendorByType } from '@tollgate/contracts';
import type { FormEvent } from 'react';

import { Button } from '../../design/button';
import { OtherErrors } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { useOrganisation } from '../../shell/scope';
import { TestResult } from '../providers/connection-test';
import { bodyOf, NEW_PROVIDER, type Draft } from '../providers/provider-draft';
import { ConnectionFields, PROVIDER_FORM_FIELDS } from '../providers/provider-fields';
import { useDraftTest } from '../providers/use-draft-test';
import { freeName } from './steps';

/** Fields that this form shows; an error of another one stands above it. */
const FIELDS = PROVIDER_FORM_FIELDS.filter((name) => name !== 'name');

/** Connects a provider: tests the settings, and saves them if they work. */
export function ProviderStep({ taken }: { taken: readonly string[] }) {
  const { id: organisationId } = useOrganisation();
  const test = useDraftTest();
  const form = useSave<Draft, rest.Provider>({
    initial: NEW_PROVIDER,
    stale: [rest.listProviders.id],
    send: (draft, call) => {
      const name = freeName(vendorByType(draft.type).title, taken);
      return call(rest.createProvider, {
        params: { organisationId },
        body: bodyOf({ ...draft, name }),
      });
    },
    made: createdText,
  });
  const busy = test.busy || form.busy;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!busy && (await test.run(form.draft))) form.submit(event);
  };
  const failed = test.result !== undefined && !test.result.ok;
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <p className="text-ink-soft">
        The vendor or server that answers. Its key is stored encrypted; applications never see it.
      </p>
      <OtherErrors error={form.error ?? test.error} fields={FIELDS} />
      <ConnectionFields
        draft={form.draft}
        error={form.error}
        known={false}
        wrong={test.wrong}
        onChange={(part) => {
          form.change(part);
          test.forget();
        }}
      />
      {failed && (
        <div role="status">
          <TestResult result={test.result} />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {test.busy ? 'Testing…' : 'Test and connect'}
        </Button>
        {failed && (
          <Button busy={busy} onClick={(event) => form.submit(event)}>
            Connect without a working test
          </Button>
        )}
      </div>
    </form>
  );
}
