'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { fieldError } from '../../design/field-error';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';

const STALE = [rest.listMcpServers.id, rest.getApiKeyMcpServers.id];

interface GrantToKeysProps {
  readonly server: rest.McpServer;
  readonly onClose: () => void;
}
interface Grantees {
  readonly apiKeyIds: readonly string[];
  readonly teamIds: readonly string[];
}

/** Grants one server to several keys. */
export function GrantToKeys({ server, onClose }: GrantToKeysProps) {
  const { organisationId, id: mcpServerId, name } = server;
  const form = useSave<Grantees, { added: number }>({
    initial: { apiKeyIds: [], teamIds: [] },
    stale: STALE,
    send: ({ apiKeyIds, teamIds }, call) =>
      call(rest.addMcpGrants, {
        params: { organisationId, mcpServerId },
        body: { apiKeyIds: [...apiKeyIds], teamIds: [...teamIds] },
      }),
    made: ({ added }) => `${name} granted to ${plural(added, 'more key', 'more keys')}.`,
    onClose,
  });
  const { draft, change, error } = form;
  return (
    <Window
      title={`Grant ${name} to keys`}
      description="Keys that already have it keep it. To revoke it, open the grants of a key."
      onClose={onClose}
    >
      <FormBody form={form} fields={['apiKeyIds', 'teamIds']} submit="Grant" onClose={onClose}>
        <ListPicker
          of="keys"
          legend="Keys"
          many
          error={fieldError(error, 'apiKeyIds')}
          chosen={draft.apiKeyIds}
          onChange={(apiKeyIds) => change({ apiKeyIds })}
        />
        <ListPicker
          of="teams"
          legend="Teams"
          many
          hint="Grants it to every current key of these teams. Keys created later are not included."
          error={fieldError(error, 'teamIds')}
          chosen={draft.teamIds}
          onChange={(teamIds) => change({ teamIds })}
        />
      </FormBody>
    </Window>
  );
}

interface GrantsOfKeyProps {
  /** Absent: the user chooses the key first. */
  readonly apiKeyId?: string;
  readonly onClose: () => void;
}

/** Edits the servers that one key may use. */
export function GrantsOfKey({ apiKeyId: given, onClose }: GrantsOfKeyProps) {
  const { id: organisationId } = useOrganisation();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [apiKeyId, setApiKeyId] = useState(given);
  return (
    <Window
      title={given === undefined ? 'Grants of a key' : 'MCP servers of the key'}
      description="Which MCP servers a key may use. The gateway does not serve MCP yet; grants take effect once it does."
      onClose={onClose}
    >
      {apiKeyId === undefined ? (
        <>
          <DialogBody>
            <ListPicker of="keys" legend="Key" chosen={chosen} onChange={setChosen} />
          </DialogBody>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              disabled={chosen.length === 0}
              onClick={() => setApiKeyId(chosen[0])}
            >
              Show grants
            </Button>
          </DialogActions>
        </>
      ) : (
        <ReadForEditing
          endpoint={rest.getApiKeyMcpServers}
          input={{ params: { organisationId, apiKeyId } }}
        >
          {({ value, etag }) => (
            <KeyGrants
              apiKeyId={apiKeyId}
              initial={{ mcpServerIds: value.mcpServerIds }}
              etag={etag}
              onClose={onClose}
            />
          )}
        </ReadForEditing>
      )}
    </Window>
  );
}

interface KeyGrantsProps {
  readonly apiKeyId: string;
  readonly initial: { readonly mcpServerIds: readonly string[] };
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function KeyGrants({ apiKeyId, initial, etag, onClose }: KeyGrantsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known: { etag },
    stale: STALE,
    send: ({ mcpServerIds }, call) =>
      call(rest.setApiKeyMcpServers, {
        params: { organisationId, apiKeyId },
        body: { mcpServerIds: [...mcpServerIds] },
      }),
    onClose,
  });
  return (
    <FormBody form={form} fields={['mcpServerIds']} submit="Save" onClose={onClose}>
      <ListPicker
        of="mcpServers"
        legend="MCP servers"
        error={fieldError(form.error, 'mcpServerIds')}
        chosen={form.draft.mcpServerIds}
        onChange={(mcpServerIds) => form.change({ mcpServerIds })}
      />
    </FormBody>
  );
}
