import { z } from 'zod';

import { SCOPED_END_USER_CHARACTERS, SCOPED_SESSION_CHARACTERS } from '../attribution';
import { endpoint } from './endpoint';
import { id, instant, usdAmount } from './fields';

/** What sessions of coding agents have cost, and the names of end users. */

const root = '/api/organisations/:organisationId/usage';

/** Sessions of one answer: the newest. */
export const SESSIONS_MOST = 500;
/** Agents that are listed of a session: the first ones. */
export const SESSION_AGENTS = 100;

const sums = {
  requests: z.int(),
  errors: z.int(),
  tokensIn: z.int(),
  tokensOut: z.int(),
  cacheReadTokens: z.int().meta({ description: 'Of tokensIn, read from a prompt cache.' }),
  costUsd: usdAmount.meta({ description: 'With adjustments.' }),
};

export const usageSession = z
  .object({
    session: z.string().meta({ description: 'As records have it.' }),
    apiKeyId: id.nullable().meta({
      description: 'The key that the session counts within; null: the whole organisation.',
    }),
    firstAt: instant,
    lastAt: instant.meta({ description: 'When its last request was booked.' }),
    ...sums,
    agents: z
      .array(
        z.object({
          agentId: z.string().nullable().meta({ description: 'Null: the main agent.' }),
          parentAgentId: z.string().nullable(),
          agentType: z.string().nullable(),
          ...sums,
        }),
      )
      .meta({ description: `The first ${SESSION_AGENTS}, in the order of their first requests.` }),
    moreAgents: z.int().meta({ description: 'Agents beyond these. The sums include them.' }),
  })
  .meta({ id: 'UsageSession' });
export type UsageSession = z.output<typeof usageSession>;

export const listUsageSessions = endpoint({
  id: 'listUsageSessions',
  tag: 'Usage',
  summary: 'What sessions have cost, with their agents',
  method: 'GET',
  path: `${root}/sessions`,
  access: 'usage.read',
  query: z.strictObject({
    session: z.string().min(1).max(SCOPED_SESSION_CHARACTERS).optional().meta({
      description:
        'As an agent names it, which finds also sessions of that name within a key; or as a record has it. Absent: the sessions of the last 24 hours.',
    }),
  }),
  response: z
    .object({
      data: z
        .array(usageSession)
        .meta({ description: `The newest ${SESSIONS_MOST}, newest first.` }),
    })
    .meta({ id: 'UsageSessions' }),
});

/** Records that one call changes at most. */
export const FORGET_RECORDS = 20_000;
/** What stands in place of a forgotten name. */
export const FORGOTTEN = 'forgotten';

export const forgetEndUser = endpoint({
  id: 'forgetEndUser',
  tag: 'Usage',
  summary: 'Remove the name of an end user from usage records; their sums stay',
  method: 'POST',
  path: `${root}/end-users/forget`,
  access: 'organisation.update',
  body: z
    .strictObject({
      endUser: z.string().min(1).max(SCOPED_END_USER_CHARACTERS).meta({
        description: 'As records have it, with `@key:` and the key if it counts within one.',
      }),
    })
    .meta({ id: 'ForgetEndUser' }),
  response: z
    .object({
      records: z.int().meta({ description: 'Records that had the name.' }),
      more: z.boolean().meta({ description: 'There are further ones: call again.' }),
    })
    .meta({ id: 'ForgottenEndUser' }),
});
