'use client';

import { rest } from '@tollgate/contracts';
import { Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState, type FormEvent } from 'react';

import { useRest } from '../../api/provider';
import { shown } from '../../api/rest-client';
import { Button } from '../../design/button';
import { TextInput } from '../../design/field';
import { useFailure } from '../../design/toast';
import { isRequestId } from '../../format/request-id';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import type { Usage } from './use-usage';

/** Opens the request with an id of the gateway, or lists those with an id of the client. */
export function FindRequest({ usage }: { usage: Usage }) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const { id: organisationId } = useOrganisation();
  const scope = useScope();
  const mayReadDecisions = useMay('decisions.read');
  const client = useRest();
  const router = useRouter();
  const fail = useFailure();

  const find = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const id = text.trim();
    if (id === '' || busy) return;
    setBusy(true);
    try {
      if (isRequestId(id) && (await isKnown(id.toLowerCase()))) {
        router.push(pageOf(scope, `usage/${id.toLowerCase()}`));
        return;
      }
      usage.go({ clientRequestId: id, range: '12m', from: undefined, to: undefined });
      setText('');
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };

  // A refused request has no record, but may have a decision. Clients may use UUIDs for their own ids too.
  async function isKnown(requestId: string): Promise<boolean> {
    const params = { organisationId, requestId };
    if (await exists(() => client.call(rest.getUsageRecord, { params }))) return true;
    if (!mayReadDecisions) return false;
    return await exists(() => client.call(rest.getRequestDecision, { params }));
  }

  return (
    <form
      role="search"
      aria-label="Find a request"
      className="flex gap-2 max-sm:w-full"
      onSubmit={(event) => void find(event)}
    >
      <TextInput
        type="search"
        aria-label="Request id, or the client’s id"
        placeholder="Request id, or the client’s id"
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="sm:w-64"
      />
      <Button type="submit" busy={busy}>
        <Search aria-hidden />
        Find
      </Button>
    </form>
  );
}

async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (shown(error).status === 404) return false;
    throw error;
  }
}
