import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { readWithSecret, secretReference } from './fields';
import type { Kind } from './kind';

const { identifier, secret: _secret, timeoutMs: _former, ...settings } = rest.mcpServerCreate.shape;

const spec = z.strictObject({ ...settings, secret: secretReference.nullable().optional() });

/** An MCP server, named by its identifier. */
export const mcpServers: Kind<rest.McpServer> = {
  kind: 'McpServer',
  level: 'organisation',
  name: identifier,
  repeats: false,
  spec,
  idParameter: 'mcpServerId',
  sets: ['pinnedTools'],
  secretField: 'secret',
  secretBoundTo: ['url', 'auth'],
  operations: () => ({
    create: rest.createMcpServer,
    get: rest.getMcpServer,
    update: rest.updateMcpServer,
    remove: rest.deleteMcpServer,
  }),
  list: (api, { organisation }) =>
    api.all(rest.listMcpServers, { organisationId: organisation?.id ?? '' }, { sort: 'createdAt' }),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  secretPreviewOf: (row) => row.secretPreview,
  read: (row) => readWithSecret(row, Object.keys(settings)),
  references: () => [],
  body: (given, _ids, name) => {
    const { secret: _sent, ...fields } = spec.parse(given);
    return { identifier: name, ...fields };
  },
};
