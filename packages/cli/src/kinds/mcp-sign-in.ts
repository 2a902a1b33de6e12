import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { numbered, objectName, ordinal, pick } from './fields';
import type { Kind } from './kind';

const { rules, ...settings } = rest.mcpSignInPut.shape;
const { apiKeyId: _id, ...ruleFields } = rules.element.shape;

const spec = z.strictObject({
  ...settings,
  rules: z
    .array(z.strictObject({ ...ruleFields, apiKey: objectName, ordinal: ordinal.optional() }))
    .max(rest.MCP_SIGN_IN_MAX_RULES),
});

interface SignInRow {
  readonly organisationId: string;
  readonly signIn: rest.McpSignIn;
}

/** Which identity provider's tokens stand for which API keys at MCP servers. */
export const mcpSignIn: Kind<SignInRow> = {
  kind: 'McpSignIn',
  level: 'organisation',
  name: null,
  repeats: false,
  spec,
  idParameter: 'organisationId',
  sets: ['audiences', 'scopes'],
  operations: () => ({
    create: rest.setMcpSignIn,
    get: rest.getMcpSignIn,
    update: rest.setMcpSignIn,
    remove: rest.deleteMcpSignIn,
  }),
  list: async (api, { organisation }) => {
    const organisationId = organisation?.id ?? '';
    const signIn = await api.call(rest.getMcpSignIn, { params: { organisationId } });
    return signIn.issuer === null ? [] : [{ organisationId, signIn }];
  },
  idOf: ({ organisationId }) => organisationId,
  changedAt: ({ signIn }) => signIn.updatedAt ?? '',
  nameOf: () => 'sign-in',
  read: ({ signIn }, names) => ({
    name: 'sign-in',
    spec: {
      ...pick(signIn, Object.keys(settings)),
      rules: signIn.rules.flatMap(({ apiKeyId, claim, value }) => {
        const named = names.of('ApiKey', apiKeyId);
        if (named === undefined) return [];
        const { name: apiKey, ...number } = numbered(named);
        return [{ claim, value, apiKey, ...number }];
      }),
    },
  }),
  references: (given) =>
    spec.parse(given).rules.map(({ apiKey, ordinal: number = 1 }, index) => ({
      kind: 'ApiKey',
      name: apiKey,
      ordinal: number,
      path: ['rules', index, 'apiKey'],
    })),
  body: (given, ids) => {
    const { rules: list, ...fields } = spec.parse(given);
    return {
      ...fields,
      rules: list.map(({ apiKey, ordinal: number, ...one }) => ({
        ...one,
        apiKeyId: ids.of('ApiKey', apiKey, number),
      })),
    };
  },
};
