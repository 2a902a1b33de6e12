'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { useOrganisation, useScope } from '../../shell/scope';
import { firstRequest } from '../first-request';

/** Asked before a dialog with a new key closes other than by its button. */
export const KEY_CLOSE_QUESTION = 'Close without copying the key? It cannot be shown again.';

/** The secret, with a first request to try it. */
export function NewKey({ made, onDone }: { made: rest.ApiKeyWithSecret; onDone: () => void }) {
  const { edgeUrl } = useScope();
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.listUsableModels, {
    params: { organisationId, apiKeyId: made.id },
    query: { limit: 1, type: 'chat' },
  });
  const model = data?.data[0];
  return (
    <>
      <DialogBody>
        <div className="flex flex-col gap-1.5">
          <p className="text-sm font-medium">{made.name}</p>
          <CodeBlock label="API key" text={made.key} />
        </div>
        {model !== undefined && (
          <div className="flex flex-col gap-1.5">
            <p className="text-sm font-medium">Try it</p>
            <CodeBlock
              label="A first request with curl"
              text={firstRequest(edgeUrl, made.key, model.name)}
            />
          </div>
        )}
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          I have copied it
        </Button>
      </DialogActions>
    </>
  );
}
