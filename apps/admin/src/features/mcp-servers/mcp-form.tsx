'use client';

import { rest } from '@tollgate/contracts';

import { FormBody, Window } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { mcpBodyOf, mcpDraftOf, mcpPatchOf, NEW_SERVER, type McpDraft } from './mcp-draft';
import { MCP_FIELDS, McpFields } from './mcp-fields';

interface McpFormProps {
  /** The server to edit; absent for a new one. */
  readonly mcpServerId?: string;
  readonly onClose: () => void;
}

export function McpForm({ mcpServerId, onClose }: McpFormProps) {
  const { id: organisationId } = useOrganisation();
  if (mcpServerId === undefined) {
    return (
      <Window
        title="Add an MCP server"
        description="After adding it, test the connection and grant it to keys."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_SERVER} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit MCP server"
      description="The identifier and the transport cannot be changed."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getMcpServer}
        input={{ params: { organisationId, mcpServerId } }}
      >
        {({ value, etag }) => (
          <Form initial={mcpDraftOf(value)} known={{ server: value, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: McpDraft;
  readonly known?: { readonly server: rest.McpServer; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Form({ initial, known, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<McpDraft, rest.McpServer>({
    initial,
    known,
    stale: [rest.listMcpServers.id, rest.getMcpServer.id],
    send: (draft, call) =>
      known === undefined
        ? call(rest.createMcpServer, { params: { organisationId }, body: mcpBodyOf(draft) })
        : call(rest.updateMcpServer, {
            params: { organisationId, mcpServerId: known.server.id },
            body: mcpPatchOf(draft, known.server),
          }),
    made: createdText,
    onClose,
  });
  return (
    <FormBody
      form={form}
      fields={MCP_FIELDS}
      submit={known === undefined ? 'Add MCP server' : 'Save'}
      onClose={onClose}
    >
      <McpFields
        draft={form.draft}
        error={form.error}
        known={known?.server}
        onChange={form.change}
      />
    </FormBody>
  );
}
