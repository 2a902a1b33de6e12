'use client';

import { rest, type ProviderType } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { CodeBlock } from '../../design/code-block';
import { Segmented } from '../../design/segmented';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { KEYLESS, REFUSALS } from './queries';
import { RefusedRequests } from './refused-requests';
import { snippetsOf, type Snippet } from './snippets';
import { AWAIT_MS } from './use-setup';

interface RequestStepProps {
  readonly apiKey: Pick<rest.ApiKey, 'createdAt' | 'name'>;
  /** Undefined: the key was not created on this page, and its secret is not shown again. */
  readonly secret: string | undefined;
  readonly model: string;
  readonly providerType: ProviderType;
}

/** Lines to copy, and what becomes of the request: it is awaited, and a refusal is explained. */
export function RequestStep({ apiKey, secret, model, providerType }: RequestStepProps) {
  const { edgeUrl } = useScope();
  const [shown, setShown] = useState<Snippet['value']>('curl');
  const key = secret ?? '<API key>';
  const snippets = snippetsOf({ edgeUrl, key, model, providerType });
  const snippet = snippets.find(({ value }) => value === shown);
  return (
    <>
      {secret === undefined ? (
        <p className="text-ink-soft">
          Put the secret of {apiKey.name} in place of &lt;API key&gt;. A secret is shown only once,
          when the key is created.
        </p>
      ) : (
        <p className="text-ink-soft">
          The lines contain the new key. Store it now: it is not shown again once you leave this
          page.
        </p>
      )}
      <Segmented label="Language" options={snippets} value={shown} onChange={setShown} />
      {snippet !== undefined && (
        <CodeBlock label={`The first request with ${snippet.label}`} text={snippet.text} />
      )}
      <p role="status" className="flex items-center gap-2 text-sm text-ink-soft">
        <span aria-hidden className="size-2 shrink-0 rounded-full bg-accent" />
        Waiting for the first request to {edgeUrl}. It appears here by itself.
      </p>
      <Refused since={apiKey.createdAt} />
    </>
  );
}

/** What was refused since the key exists. A key that is unknown belongs to no organisation. */
function Refused({ since }: { since: string }) {
  const { id: organisationId } = useOrganisation();
  const mayReadPlatform = useMay('platform.usage.read');
  const live = { refreshMs: AWAIT_MS };
  const own = useRead(
    rest.listRefusedRequests,
    { params: { organisationId }, query: REFUSALS },
    live,
  );
  const keyless = useRead(
    rest.listPlatformRefusedRequests,
    { query: KEYLESS },
    { ...live, enabled: mayReadPlatform },
  );
  const refused = [...(own.data?.data ?? []), ...(keyless.data?.data ?? [])].filter(
    ({ lastAt }) => Date.parse(lastAt) >= Date.parse(since),
  );
  return <RefusedRequests refused={refused} />;
}
