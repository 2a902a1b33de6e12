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
import { KeyGrants, STALE_GRANTS } from './key-grants';
import { rulesDraftOf, rulesOfDraft, type RulesDraft } from './rules-draft';
import { RulesFields } from './rules-fields';

interface GrantToKeysProps {
  readonly server: rest.McpServer;
  readonly onClose: () => void;
}
interface Grantees {
  readonly apiKeyIds: readonly string[];
  readonly teamIds: readonly string[];
  readonly rules: RulesDraft;
}

/** Grants one server to several keys. */
export function GrantToKeys({ server, onClose }: GrantToKeysProps) {
  const { organisationId, id: mcpServerId, name } = server;
  const form = useSave<Grantees, { added: number }>({
    initial: { apiKeyIds: [], teamIds: [], rules: rulesDraftOf(rest.MCP_EVERYTHING) },
    stale: STALE_GRANTS,
    send: ({ apiKeyIds, teamIds, rules }, call) =>
      call(rest.addMcpGrants, {
        params: { organisationId, mcpServerId },
        body: { apiKeyIds: [...apiKeyIds], teamIds: [...teamIds], ...rulesOfDraft(rules) },
      }),
    made: ({ added }) => `${name} granted to ${plural(added, 'more key', 'more keys')}.`,
    onClose,
  });
  const { draft, change, error } = form;
  return (
    <Window
      title={`Grant ${name} to keys`}
      description="Keys that already have it keep their grant as it is. To revoke or change a grant, open the grants of that key."
      wide
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={['apiKeyIds', 'teamIds', ...rest.MCP_RULE_KINDS]}
        submit="Grant"
        onClose={onClose}
      >
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
        <RulesFields
          server={server}
          rules={draft.rules}
          ofGrant
          error={error}
          onChange={(rules) => change({ rules })}
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
      description="Which MCP servers a key may use, and which of their tools. The rules of the server apply as well."
      wide
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
            <KeyGrants apiKeyId={apiKeyId} initial={value.grants} etag={etag} onClose={onClose} />
          )}
        </ReadForEditing>
      )}
    </Window>
  );
}
