import { rest, type Role } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { z } from 'zod';

import { startTestDatabases, type TestDatabases } from '../test-support';
import {
  BODIES,
  createTenant,
  NAMING,
  objectIdsOf,
  startRest,
  type Params,
  type RestServer,
  type Who,
} from './test-support';

/**
 * Other organisations' objects do not exist for a caller: naming one gets exactly the answer of an
 * unknown id. Generated from the endpoints' schemas.
 */

let databases: TestDatabases;
let server: RestServer;
let own: Params;
let other: Params;
let callers: Record<Role, Who>;

beforeAll(async () => {
  databases = await startTestDatabases();
  const database = await databases.fresh();
  server = await startRest(database);
  const acme = await createTenant(server, 'acme');
  own = await objectIdsOf(server, database, acme);
  other = await objectIdsOf(server, database, await createTenant(server, 'rival'));
  callers = { SUPER_ADMIN: server.root, ...acme.callers };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const scoped = rest.ENDPOINTS.filter(({ path }) => path.startsWith('/api/organisations/'));
const ROLES_INSIDE = ['ORG_ADMIN', 'MANAGER', 'USER'] as const;

interface Told {
  readonly status: number;
  readonly body: string;
}

/** The answer, with the ids sent removed from it. */
async function told(
  endpoint: rest.Endpoint,
  who: Who,
  sent: { params: Params; query?: Params; body?: unknown },
  ids: readonly string[],
): Promise<Told> {
  const { status, body } = await server.call(who, endpoint, sent);
  const text = ids.reduce((left, id) => left.replaceAll(id, '<id>'), JSON.stringify(body) ?? '');
  return { status, body: text };
}

/** Without it a query that is required would be refused before the id is looked at. */
const neededBy = ({ query }: rest.Endpoint): Params =>
  query.safeParse({}).success ? {} : { key: 'project' };

const nobodys = (): Params => Object.fromEntries(Object.keys(own).map((name) => [name, uuidv7()]));

const ofOneObject = scoped.filter(({ path }) => /:organisationId\/.*:/.test(path));

describe.each(ofOneObject.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s',
  (id, endpoint) => {
    it.each(ROLES_INSIDE)(
      "answers %s the same for another organisation's id and for nobody's",
      async (role) => {
        const { organisationId = '' } = own;
        const body = BODIES[id];
        const about = (params: Params): Promise<Told> =>
          told(
            endpoint,
            callers[role],
            { params: { ...params, organisationId }, query: neededBy(endpoint), body },
            Object.values(params),
          );
        const theirs = await about(other);
        expect([403, 404]).toContain(theirs.status);
        expect(theirs).toEqual(await about(nobodys()));
      },
    );
  },
);

/** The places of ids in a body or query: `teamId`, `modelIds[]`, `candidates[].modelId`. */
function idPlaces(schema: z.ZodType): string[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const places = new Set<string>();
  const walk = (node: unknown, place: string): void => {
    const parsed = shape.safeParse(node);
    if (!parsed.success) return;
    const { $ref, format, properties, items, anyOf, oneOf, allOf } = parsed.data;
    if ($ref !== undefined) walk(json.$defs?.[$ref.replace('#/$defs/', '')], place);
    if (format === 'uuid') places.add(place);
    for (const [name, inner] of Object.entries(properties)) {
      walk(inner, place === '' ? name : `${place}.${name}`);
    }
    walk(items, `${place}[]`);
    for (const inner of [...anyOf, ...oneOf, ...allOf]) walk(inner, place);
  };
  walk(json, '');
  return [...places];
}

const list = z.array(z.unknown()).default([]);
const shape = z.object({
  $ref: z.string().optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
  anyOf: list,
  oneOf: list,
  allOf: list,
});

const named = rest.ENDPOINTS.flatMap((endpoint) =>
  idPlaces(endpoint.body).map((place) => [endpoint.id, place, endpoint] as const),
);

describe('ids in bodies', () => {
  it('are those that the test knows', () => {
    const known = Object.entries(NAMING).flatMap(([id, places]) =>
      Object.keys(places).map((place) => `${id} ${place}`),
    );
    expect(named.map(([id, place]) => `${id} ${place}`).toSorted()).toEqual(known.toSorted());
  });

  it.each(named)(
    '%s: %s of another organisation is as one that nobody has',
    async (id, place, endpoint) => {
      const bodyOf = NAMING[id]?.[place];
      if (bodyOf === undefined) throw new Error(`no body for ${id} with ${place}`);
      const role = endpoint.access.startsWith('platform.') ? 'SUPER_ADMIN' : 'ORG_ADMIN';
      const about = (ids: Params): Promise<Told> =>
        told(endpoint, callers[role], { params: own, body: bodyOf(ids, own) }, Object.values(ids));
      const nobody = await about(nobodys());
      expect([404, 422]).toContain(nobody.status);
      // The error is about the id, not another part of the body.
      const field = place.replaceAll('[]', '[0]');
      if (nobody.status === 422) expect(nobody.body).toContain(`"path":"${field}"`);
      // A platform user may name any organisation.
      if (role === 'SUPER_ADMIN' && place === 'organisationId') return;
      expect(await about(other)).toEqual(nobody);
    },
  );
});

const filtered = scoped.flatMap((endpoint) =>
  endpoint.method === 'GET'
    ? idPlaces(endpoint.query).map((place) => [endpoint.id, place, endpoint] as const)
    : [],
);

/** The kind of id of filters whose name does not say it. */
const FILTERS: Readonly<Record<string, string>> = {
  scopeId: 'apiKeyId',
  actorId: 'userId',
  limitId: 'budgetId',
};
const GIVEN: Params = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

const HOUR_MS = 3_600_000;
/** Their answers name the span that they are about, which without these would be that of the call. */
const SPANNED: readonly string[] = [rest.getResidencyReport.id, rest.exportResidencyReport.id];
const AROUND: Params = {
  from: new Date(Date.now() - HOUR_MS).toISOString(),
  to: new Date(Date.now() + HOUR_MS).toISOString(),
};

function spanOf({ id, query }: rest.Endpoint): Params {
  if (SPANNED.includes(id)) return AROUND;
  return query.safeParse({}).success ? {} : GIVEN;
}

it.each(filtered)("%s by another organisation's %s finds nothing", async (_id, place, endpoint) => {
  const name = FILTERS[place] ?? place;
  const query = spanOf(endpoint);
  for (const role of ROLES_INSIDE) {
    const about = (ids: Params): Promise<Told> => {
      const id = ids[name];
      if (id === undefined) throw new Error(`no id for the filter ${place}`);
      return told(endpoint, callers[role], { params: own, query: { ...query, [place]: id } }, [id]);
    };
    const theirs = await about(other);
    expect(theirs).toEqual(await about(nobodys()));
    expect([200, 403, 404, 422]).toContain(theirs.status);
  }
});

it('no list tells a role inside anything of another organisation', async () => {
  const lists = scoped.filter(({ method }) => method === 'GET');
  for (const endpoint of lists) {
    const query = endpoint.query.safeParse({}).success ? {} : GIVEN;
    for (const role of ROLES_INSIDE) {
      const { body } = await server.call(callers[role], endpoint, { params: own, query });
      const text = JSON.stringify(body) ?? '';
      const leaked = Object.entries(other).filter(([, id]) => text.includes(id));
      expect([endpoint.id, leaked]).toEqual([endpoint.id, []]);
    }
  }
});
