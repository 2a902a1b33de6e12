import { z } from 'zod';

import { FAILOVER_TRIGGERS, ROUTING_STRATEGIES, UPSTREAM_STATES } from '../enums';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page, patchOf, search, SWITCH_STATUSES } from './fields';

/** Routing policies, and the states of their upstreams. */

export const ROUTING_CANDIDATES_MAX = 16;

/** The specification has two names for the first strategy. */
const strategies = [...ROUTING_STRATEGIES, 'next_candidate'] as const;

const attemptMs = z.int().min(1).max(3_600_000).nullable();

const timeouts = {
  attemptMs: attemptMs.meta({ description: 'Timeout of the whole attempt, in milliseconds.' }),
  connectMs: attemptMs,
  firstTokenMs: attemptMs.meta({ description: 'Timeout until the first output, in milliseconds.' }),
  idleMs: attemptMs.meta({
    description: 'Timeout between two pieces of a stream, in milliseconds.',
  }),
};

const answeredTimeouts = z
  .object(timeouts)
  .meta({ id: 'AttemptTimeouts', description: 'Milliseconds; null: as the provider says.' });
export type AttemptTimeouts = z.output<typeof answeredTimeouts>;

const givenTimeouts = z
  .strictObject({
    attemptMs: attemptMs.default(null),
    connectMs: attemptMs.default(null),
    firstTokenMs: attemptMs.default(null),
    idleMs: attemptMs.default(null),
  })
  .meta({
    id: 'AttemptTimeoutsGiven',
    description: 'Timeouts of one attempt; the shorter one of these and the provider’s applies.',
  });

const NO_TIMEOUTS = { attemptMs: null, connectMs: null, firstTokenMs: null, idleMs: null };

export const routingCandidate = z
  .object({
    modelId: id,
    priority: z.int(),
    weight: z.int(),
    timeouts: answeredTimeouts.nullable(),
  })
  .meta({ id: 'RoutingCandidate' });
export type RoutingCandidate = z.output<typeof routingCandidate>;

const routingCandidateGiven = z
  .strictObject({
    modelId: id,
    priority: z.int().min(0).max(1_000).optional().meta({
      description:
        'Candidates with lower numbers come first; absent: the position in the list, from 1.',
    }),
    weight: z
      .int()
      .min(1)
      .max(1_000)
      .default(1)
      .meta({ description: 'Share of requests, for the strategy `weighted`. Default: 1.' }),
    timeouts: givenTimeouts
      .nullable()
      .default(null)
      .meta({ description: 'If present, these replace the policy’s own.' }),
  })
  .meta({ id: 'RoutingCandidateGiven' });

const settings = {
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/, 'letters, digits and . _ : / @ + - only')
    .meta({ description: 'Requests may use this name in place of a model.' }),
  strategy: z
    .enum(strategies)
    .meta({ description: '`next_candidate` is another name of `failover`.' }),
  candidates: z
    .array(routingCandidateGiven)
    .min(1, 'at least one candidate')
    .max(ROUTING_CANDIDATES_MAX)
    .refine(
      (list) => new Set(list.map(({ modelId }) => modelId)).size === list.length,
      'each model once',
    ),
  failoverTriggers: z
    .array(z.enum(FAILOVER_TRIGGERS))
    .max(FAILOVER_TRIGGERS.length)
    .refine((list) => new Set(list).size === list.length, 'each trigger once')
    .meta({
      description: 'Failures after which the next candidate is tried. Default: 5xx and timeout.',
    }),
  timeouts: givenTimeouts,
  totalTimeoutMs: attemptMs.meta({
    description:
      'Timeout of all attempts together until the first byte for the client, in milliseconds; null: none.',
  }),
  retries: z.int().min(0).max(3).meta({
    description:
      'How often a candidate is retried before the next one, if the failed call cannot have been billed.',
  }),
  hedgeAfterMs: z.int().min(10).max(600_000).nullable().meta({
    description:
      'A second candidate is called if the first is silent for this many milliseconds; null: never.',
  }),
  status: z.enum(SWITCH_STATUSES),
};

export const routingPolicy = z
  .object({
    id,
    organisationId: id,
    name: z.string(),
    strategy: z.enum(ROUTING_STRATEGIES),
    candidates: z.array(routingCandidate),
    failoverTriggers: z.array(z.enum(FAILOVER_TRIGGERS)),
    timeouts: answeredTimeouts,
    totalTimeoutMs: z.int().nullable(),
    retries: z.int(),
    hedgeAfterMs: z.int().nullable(),
    status: z.enum(SWITCH_STATUSES),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'RoutingPolicy' });
export type RoutingPolicy = z.output<typeof routingPolicy>;

export const routingPolicyCreate = z
  .strictObject({
    ...settings,
    strategy: settings.strategy.default('failover'),
    failoverTriggers: settings.failoverTriggers.default(['5xx', 'timeout']),
    timeouts: settings.timeouts.default(NO_TIMEOUTS),
    totalTimeoutMs: settings.totalTimeoutMs.default(null),
    retries: settings.retries.default(0),
    hedgeAfterMs: settings.hedgeAfterMs.default(null),
    status: settings.status.default('ACTIVE'),
  })
  .meta({ id: 'RoutingPolicyCreate' });
export type RoutingPolicyCreate = z.output<typeof routingPolicyCreate>;

export const routingPolicyPatch = patchOf(settings).meta({ id: 'RoutingPolicyPatch' });
export type RoutingPolicyPatch = z.output<typeof routingPolicyPatch>;

export const upstreamStatus = z
  .object({
    modelId: id,
    providerId: id,
    state: z.enum(UPSTREAM_STATES).meta({
      description:
        'CLOSED: in use. OPEN: left out by routing. HALF_OPEN: one request may probe it.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Outcome of the attempt that caused the state, such as HTTP_503.' }),
    changedAt: instant,
    openUntil: instant.nullable(),
    cooldownUntil: instant
      .nullable()
      .meta({ description: 'End of the pause that the upstream requested; null: none.' }),
    attempts: z.int().meta({ description: 'Attempts within the window of the breaker.' }),
    failures: z.int(),
  })
  .meta({ id: 'UpstreamStatus' });
export type UpstreamStatus = z.output<typeof upstreamStatus>;

const tag = 'Routing policies';
const root = '/api/organisations/:organisationId';

export const listRoutingPolicies = endpoint({
  id: 'listRoutingPolicies',
  tag,
  summary: 'Routing policies; a key has at most one',
  method: 'GET',
  path: `${root}/routing-policies`,
  access: 'routing-policies.read',
  query: listQuery(['createdAt', 'name'], {
    search,
    status: z.enum(SWITCH_STATUSES).optional(),
    modelId: id.optional().meta({ description: 'Only policies with this candidate.' }),
  }),
  response: page(routingPolicy),
});

export const createRoutingPolicy = endpoint({
  id: 'createRoutingPolicy',
  tag,
  summary: 'Create a routing policy; it applies to the keys that use it while routingEnabled is on',
  method: 'POST',
  path: `${root}/routing-policies`,
  access: 'routing-policies.write',
  body: routingPolicyCreate,
  response: routingPolicy,
  status: 201,
});

export const getRoutingPolicy = endpoint({
  id: 'getRoutingPolicy',
  tag,
  summary: 'One routing policy',
  method: 'GET',
  path: `${root}/routing-policies/:routingPolicyId`,
  access: 'routing-policies.read',
  response: routingPolicy,
  etag: true,
});

export const updateRoutingPolicy = endpoint({
  id: 'updateRoutingPolicy',
  tag,
  summary: 'Change a routing policy; a list of candidates replaces the old one',
  method: 'PATCH',
  path: `${root}/routing-policies/:routingPolicyId`,
  access: 'routing-policies.write',
  body: routingPolicyPatch,
  response: routingPolicy,
  etag: true,
});

export const deleteRoutingPolicy = endpoint({
  id: 'deleteRoutingPolicy',
  tag,
  summary: 'Delete a routing policy that no key uses',
  method: 'DELETE',
  path: `${root}/routing-policies/:routingPolicyId`,
  access: 'routing-policies.write',
});

export const listUpstreamStatuses = endpoint({
  id: 'listUpstreamStatuses',
  tag,
  summary: 'Breakers and cooldowns of upstreams, newest change first',
  method: 'GET',
  path: `${root}/upstream-statuses`,
  access: 'routing-policies.read',
  query: listQuery(['changedAt'], {
    state: z.enum(UPSTREAM_STATES).optional(),
    providerId: id.optional(),
    modelId: id.optional(),
  }),
  response: page(upstreamStatus),
});
