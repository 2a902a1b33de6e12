import * as rest from '.';
import { ROLES } from '../enums';

describe('endpoints', () => {
  it('have ids and places of their own', () => {
    const ids = rest.ENDPOINTS.map(({ id }) => id);
    const places = rest.ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it('say whom they are for, and the role table knows it', () => {
    for (const { access } of rest.ENDPOINTS) {
      expect(['public', 'signed-in', ...rest.ACTIONS]).toContain(access);
    }
    const used = new Set(rest.ENDPOINTS.map(({ access }) => access));
    for (const action of rest.ACTIONS) expect(used).toContain(action);
  });

  it('carry a secret only where answers are not kept', () => {
    const secret = rest.ENDPOINTS.filter((endpoint) => endpoint.secret).map(({ id }) => id);
    expect(secret.sort()).toEqual([
      'createAlertDestination',
      'createApiKey',
      'createExportDestination',
      'createInvitation',
      'createPlatformAlertDestination',
      'createPlatformExportDestination',
      'createPlatformUserResetLink',
      'createPlaygroundKey',
      'createUserResetLink',
      'lookAtBodies',
      'resendInvitation',
      'rotateAlertDestinationSecret',
      'rotateApiKey',
      'rotatePlatformAlertDestinationSecret',
    ]);
  });

  it('have paths that are filled in', () => {
    const path = rest.fillPath(rest.getTeam.path, { organisationId: 'a', teamId: 'b/c' });
    expect(path).toBe('/api/organisations/a/teams/b%2Fc');
  });
});

describe('roles', () => {
  it('never reach further than the role above', () => {
    const width = { everywhere: 4, organisation: 3, teams: 2, self: 1 };
    for (const action of rest.ACTIONS) {
      const reaches = ROLES.map((role) => {
        const reach = rest.reachOf(role, action);
        return reach === undefined ? 0 : width[reach];
      });
      expect(reaches).toEqual([...reaches].sort((a, b) => b - a));
    }
  });

  it('give only roles that are not above their own', () => {
    for (const [at, role] of ROLES.entries()) {
      for (const given of rest.ASSIGNABLE_ROLES[role]) {
        expect(ROLES.indexOf(given)).toBeGreaterThanOrEqual(at);
      }
    }
  });
});

describe('fields', () => {
  it('read ids in lower case, as they are stored', () => {
    const modelId = '019B0A52-8F1C-7C1E-9D43-2F6A1D1F5B10';
    const body = rest.createRoutingPolicy.body.parse({ name: 'x', candidates: [{ modelId }] });
    expect(body.candidates).toMatchObject([{ modelId: modelId.toLowerCase() }]);
  });

  it.each(['0', '12.50', '9000000', '0.000000001'])('take %s as an amount', (text) => {
    expect(rest.usd.safeParse(text).success).toBe(true);
  });

  it.each(['', '1.', '.5', '-1', '1e3', '1,5', '9000000.01', '0.0000000001', ' 1'])(
    'refuse %j as an amount',
    (text) => {
      expect(rest.usd.safeParse(text).success).toBe(false);
    },
  );

  it.each(['admin', 'api', 'login', '-a', 'a-', 'A', 'a b', 'a'])('refuse %j as a slug', (text) => {
    expect(rest.slug.safeParse(text).success).toBe(false);
  });

  it('refuse steps of a price that do not ascend from zero', () => {
    const step = { input: '1', output: '1' };
    const steps = (...from: number[]) => ({
      steps: from.map((fromInputTokens) => ({ ...step, fromInputTokens })),
    });
    expect(rest.priceCreate.safeParse(steps(0, 10, 20)).success).toBe(true);
    for (const bad of [steps(), steps(1), steps(0, 0), steps(0, 20, 10)]) {
      expect(rest.priceCreate.safeParse(bad).success).toBe(false);
    }
  });
});

test('single sign-on leads back to a path of the console, never to another site', () => {
  const accepts = (next: string): boolean => rest.startSso.query.safeParse({ next }).success;
  for (const path of ['/', '/acme/dashboard?range=7d', '/a?to=//b', '/.well-known/x']) {
    expect([path, accepts(path)]).toEqual([path, true]);
  }
  for (const other of [
    '//evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/a//evil.example',
    '/a/..',
    '/\\evil.example',
    'https://evil.example',
  ]) {
    expect([other, accepts(other)]).toEqual([other, false]);
  }
});
