'use client';

import { rest } from '@tollgate/contracts';
import { Button } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { DialogActions, DialogBody } from '../../design/dialog';
import { useRead } from '../../api/provider';
import { useOrganisation, useScope } from '../../shell/scope';
import { firstRequest } from '../first-request';

/** The key itself, with a first request to try it. */
export function NewKey({ made, onDone }: { made: rest.ApiKeyWithSecret; onDone: () => void }) {
  const { edgeUrl } = useScope();
  const { id: organisationId } = useOrganisation();
  const [modelId] = made.modelIds;
  const model = useRead(
    rest.getModel,
    { params: { organisationId, modelId: modelId ?? '' } },
    { enabled: modelId !== undefined },
  );
  const command = firstRequest(edgeUrl, made.key, model.data?.name ?? '<model>');
  return (
    <>
      <DialogBody>
        <div className="flex flex-col gap-1.5">
          <p className="text-sm font-medium">{made.name}</p>
          <CodeBlock label="API key" text={made.key} />
        </div>
        {modelId !== undefined && (
          <div className="flex flex-col gap-1.5">
            <p className="text-sm font-medium">Try it</p>
            <CodeBlock label="A first request with curl" text={command} />
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
