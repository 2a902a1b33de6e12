'use client';

import { rest } from '@tollgate/contracts';

import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { rulesDraftOf, rulesOfDraft, type RulesDraft } from './rules-draft';
import { RulesFields } from './rules-fields';

interface RulesFormProps {
  readonly mcpServerId: string;
  readonly onClose: () => void;
}

/** Edits which tools, prompts and resources of a server any key may use. */
export function RulesForm({ mcpServerId, onClose }: RulesFormProps) {
  const { id: organisationId } = useOrganisation();
  return (
    <Window
      title="Rules of the server"
      description="They apply to all keys. The grant of a key can only narrow them."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getMcpServer}
        input={{ params: { organisationId, mcpServerId } }}
      >
        {({ value, etag }) => <Form server={value} etag={etag} onClose={onClose} />}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly server: rest.McpServer;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function Form({ server, etag, onClose }: FormProps) {
  const { organisationId, id: mcpServerId } = server;
  const form = useSave<{ readonly rules: RulesDraft }, rest.McpServer>({
    initial: { rules: rulesDraftOf(server) },
    known: { etag },
    stale: [rest.listMcpServers.id, rest.getMcpServer.id],
    send: ({ rules }, call) =>
      call(rest.updateMcpServer, {
        params: { organisationId, mcpServerId },
        body: rulesOfDraft(rules),
      }),
    onClose,
  });
  return (
    <FormBody form={form} fields={rest.MCP_RULE_KINDS} submit="Save" onClose={onClose}>
      <RulesFields
        server={server}
        rules={form.draft.rules}
        error={form.error}
        onChange={(rules) => form.change({ rules })}
      />
    </FormBody>
  );
}
