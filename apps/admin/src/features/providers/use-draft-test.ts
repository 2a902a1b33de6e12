'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { shown, type ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { useOrganisation } from '../../shell/scope';
import { testOf, type Draft } from './provider-draft';

export interface DraftTest {
  readonly result: rest.KeyTest | undefined;
  /** Why the test could not be made. */
  readonly error: ApiError | undefined;
  readonly busy: boolean;
  /** Whether the connection works. */
  readonly run: (draft: Draft) => Promise<boolean>;
  /** What was tried is not what the form holds any more. */
  readonly forget: () => void;
  /** What the test showed to be wrong with a field. */
  readonly wrong: (field: string) => string | undefined;
}

/** Tries settings that are not saved yet. */
export function useDraftTest(): DraftTest {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const [result, setResult] = useState<rest.KeyTest>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const forget = (): void => {
    setResult(undefined);
    setError(undefined);
  };
  return {
    result,
    error,
    busy,
    forget,
    run: async (draft) => {
      if (busy) return false;
      setBusy(true);
      forget();
      try {
        const params = { organisationId };
        const answer = await client.call(rest.testProviderDraft, { params, body: testOf(draft) });
        setResult(answer.results[0]);
        return answer.ok;
      } catch (failure) {
        setError(shown(failure));
        return false;
      } finally {
        setBusy(false);
      }
    },
    wrong: (field) => {
      const failure = result?.failure;
      return failure?.field === field ? failure.message : fieldError(error, field);
    },
  };
}
