'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { useToast } from '../../design/toast';
import { useOrganisation } from '../../shell/scope';

/** Deletes all kept answers of the organisation. */
export function KeptAnswers() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const say = useToast();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const clear = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await client.call(rest.clearResponseCache, { params: { organisationId } });
      say('Kept answers deleted.');
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title="Kept answers">
      {error !== undefined && <Failure error={error} onRetry={() => void clear()} />}
      <p className="mb-4 max-w-xl text-sm text-ink-soft">
        The response cache keeps answers of this organisation and uses them again for equal
        requests. After deletion, the next equal request goes to the provider again.
      </p>
      <Button busy={busy} onClick={() => void clear()}>
        Delete kept answers
      </Button>
    </Card>
  );
}
