import { z } from 'zod';

import { BODY_LEFT_OUT } from '../enums';
import { MOST_KEPT_BODIES_DAYS } from '../usage-most';
import { endpoint } from './endpoint';
import { instant } from './fields';
import { keyResponseCache } from './response-cache';

export const keptBodiesPercent = z.int().min(1).max(100);
export const keptBodiesDays = z.int().min(1).max(MOST_KEPT_BODIES_DAYS);

/** Of an API key. */
export const keyKeepBodies = z.boolean().meta({
  description:
    'Bodies of the key’s requests are kept if the organisation keeps bodies. Default: true. Only administrators of the organisation change it.',
});

/** How requests of a key are kept, of their answers or themselves. */
export const keyKeeping = { responseCache: keyResponseCache, keepBodies: keyKeepBodies };

const leftOut = z.enum(BODY_LEFT_OUT).nullable().meta({
  description: 'Why the body was not kept; null: it is kept, or was not wanted.',
});

const bodyState = z
  .object({
    kept: z.boolean(),
    leftOut,
    partial: z.boolean().meta({ description: 'The answer ended before it was complete.' }),
  })
  .meta({ id: 'BodyState' });

const keptBodies = z
  .object({
    request: bodyState,
    answer: bodyState,
    masked: z
      .array(z.object({ label: z.string(), count: z.int() }))
      .meta({ description: 'What was masked before the bodies were kept, by kind.' }),
    keptAt: instant.nullable().meta({ description: 'Null: nothing is known of this request.' }),
    keptUntil: instant.nullable(),
    mayLook: z.boolean().meta({ description: 'Whether the caller may look at the bodies.' }),
  })
  .meta({ id: 'KeptBodies' });
export type KeptBodies = z.output<typeof keptBodies>;

const shownBodies = z
  .object({
    request: z.string().nullable().meta({ description: 'JSON or a plain text; null: not kept.' }),
    answer: z.string().nullable(),
  })
  .meta({ id: 'ShownBodies' });
export type ShownBodies = z.output<typeof shownBodies>;

const tag = 'Bodies';
const ofRequest = '/api/organisations/:organisationId/usage/records/:requestId/bodies';
const ofOrganisation = '/api/organisations/:organisationId/kept-bodies';

export const getKeptBodies = endpoint({
  id: 'getKeptBodies',
  tag,
  summary: 'Whether the bodies of a request are kept; without the bodies',
  method: 'GET',
  path: ofRequest,
  access: 'bodies.read',
  response: keptBodies,
});

export const lookAtBodies = endpoint({
  id: 'lookAtBodies',
  tag,
  summary: 'The kept bodies of a request; each call is an audit event',
  method: 'POST',
  path: `${ofRequest}/look`,
  access: 'bodies.read',
  response: shownBodies,
  secret: true,
});

const keptBodiesTotal = z
  .object({
    allowed: z.boolean().meta({ description: 'False: this installation keeps no bodies.' }),
    requests: z.int().meta({ description: 'Requests with a kept body.' }),
    bytes: z.int().meta({ description: 'As stored: compressed and encrypted.' }),
    oldestAt: instant.nullable(),
  })
  .meta({ id: 'KeptBodiesTotal' });
export type KeptBodiesTotal = z.output<typeof keptBodiesTotal>;

export const getKeptBodiesTotal = endpoint({
  id: 'getKeptBodiesTotal',
  tag,
  summary: 'How many bodies the organisation keeps',
  method: 'GET',
  path: ofOrganisation,
  access: 'bodies.read',
  response: keptBodiesTotal,
});

export const clearKeptBodies = endpoint({
  id: 'clearKeptBodies',
  tag,
  summary: 'Delete all kept bodies of the organisation',
  method: 'POST',
  path: `${ofOrganisation}/clear`,
  access: 'bodies.write',
  response: z.object({ deleted: z.int() }).meta({ id: 'KeptBodiesCleared' }),
});
