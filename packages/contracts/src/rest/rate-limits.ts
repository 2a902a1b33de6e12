import { z } from 'zod';

import { endpoint } from './endpoint';
import { listQuery, page, patchOf } from './fields';
import { requireValue, scope, valueRequired } from './limit-scope';
import {
  limitBase,
  limitDefaults,
  limitFilters,
  limitMode,
  limitStamps,
  limitStatus,
} from './limits';

const rates = {
  requestsPerMinute: z.int().min(0).max(1_000_000_000).nullable(),
  tokensPerMinute: z.int().min(0).max(9_000_000_000_000_000).nullable(),
  concurrentRequests: z.int().min(0).max(1_000_000).nullable(),
};

export const rateLimit = z
  .object({ ...limitBase, ...rates, ...limitStamps })
  .meta({ id: 'RateLimit' });
export type RateLimit = z.output<typeof rateLimit>;

export const rateLimitCreate = z
  .strictObject({
    scope,
    requestsPerMinute: rates.requestsPerMinute.default(null),
    tokensPerMinute: rates.tokensPerMinute.default(null),
    concurrentRequests: rates.concurrentRequests.default(null),
    ...limitDefaults,
  })
  .refine(
    (value) =>
      value.requestsPerMinute !== null ||
      value.tokensPerMinute !== null ||
      value.concurrentRequests !== null,
    'at least one of requestsPerMinute, tokensPerMinute and concurrentRequests',
  )
  .refine(...valueRequired)
  .meta({ id: 'RateLimitCreate' });
export type RateLimitCreate = z.output<typeof rateLimitCreate>;

export const rateLimitPatch = patchOf({
  ...rates,
  mode: limitMode,
  status: limitStatus,
  requireValue,
}).meta({ id: 'RateLimitPatch' });
export type RateLimitPatch = z.output<typeof rateLimitPatch>;

const root = '/api/organisations/:organisationId';

export const listRateLimits = endpoint({
  id: 'listRateLimits',
  tag: 'Rate limits',
  summary: 'Rate limits',
  method: 'GET',
  path: `${root}/rate-limits`,
  access: 'rate-limits.read',
  query: listQuery(['createdAt'], limitFilters),
  response: page(rateLimit),
});

export const createRateLimit = endpoint({
  id: 'createRateLimit',
  tag: 'Rate limits',
  summary: 'Create a rate limit',
  method: 'POST',
  path: `${root}/rate-limits`,
  access: 'rate-limits.write',
  body: rateLimitCreate,
  response: rateLimit,
  status: 201,
});

export const getRateLimit = endpoint({
  id: 'getRateLimit',
  tag: 'Rate limits',
  summary: 'One rate limit',
  method: 'GET',
  path: `${root}/rate-limits/:rateLimitId`,
  access: 'rate-limits.read',
  response: rateLimit,
  etag: true,
});

export const updateRateLimit = endpoint({
  id: 'updateRateLimit',
  tag: 'Rate limits',
  summary: 'Change a rate limit; null removes one of its rates',
  method: 'PATCH',
  path: `${root}/rate-limits/:rateLimitId`,
  access: 'rate-limits.write',
  body: rateLimitPatch,
  response: rateLimit,
  etag: true,
});

export const deleteRateLimit = endpoint({
  id: 'deleteRateLimit',
  tag: 'Rate limits',
  summary: 'Delete a rate limit',
  method: 'DELETE',
  path: `${root}/rate-limits/:rateLimitId`,
  access: 'rate-limits.write',
});
