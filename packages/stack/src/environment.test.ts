import { documented, serviceEnvironment } from './environment';

const SETTINGS = {
  defaults: { LOG_LEVEL: 'info', JWT_SECRET: 'made up' },
  additions: { UPSTREAM_ALLOWED_CIDRS: '127.0.0.0/8' },
  wiring: { EDGE_PORT: '8080', INTERNAL_TOKEN: 'made up' },
};

test('without settings a service gets the stack’s defaults', () => {
  expect(serviceEnvironment(SETTINGS, {})).toEqual({
    env: { ...SETTINGS.defaults, ...SETTINGS.additions, ...SETTINGS.wiring },
    overridden: [],
  });
});

test('the user’s settings are passed on, and override the defaults', () => {
  const { env } = serviceEnvironment(SETTINGS, { LOG_LEVEL: 'warn', EDGE_WORKERS: '2' });
  expect(env).toMatchObject({ LOG_LEVEL: 'warn', EDGE_WORKERS: '2', JWT_SECRET: 'made up' });
});

test('the user’s networks are allowed in addition to the simulator’s loopback', () => {
  const { env } = serviceEnvironment(SETTINGS, { UPSTREAM_ALLOWED_CIDRS: '10.0.0.0/8' });
  expect(env['UPSTREAM_ALLOWED_CIDRS']).toBe('10.0.0.0/8,127.0.0.0/8');
});

test('the stack’s wiring overrides the user’s settings, and reports which ones', () => {
  const { env, overridden } = serviceEnvironment(SETTINGS, {
    EDGE_PORT: '8080',
    INTERNAL_TOKEN: 'mine',
  });
  expect(env).toMatchObject({ EDGE_PORT: '8080', INTERNAL_TOKEN: 'made up' });
  expect(overridden).toEqual(['INTERNAL_TOKEN']);
});

test('a secret from a file replaces a generated one, and is overridden by wiring', () => {
  const { env, overridden } = serviceEnvironment(SETTINGS, {
    JWT_SECRET_FILE: '/run/jwt',
    INTERNAL_TOKEN_FILE: '/run/token',
  });
  expect(env['JWT_SECRET_FILE']).toBe('/run/jwt');
  expect(env).not.toHaveProperty('JWT_SECRET');
  expect(env).not.toHaveProperty('INTERNAL_TOKEN_FILE');
  expect(overridden).toEqual(['INTERNAL_TOKEN_FILE']);
});

test('only documented and non-empty variables are passed on', () => {
  const environment = { LOG_LEVEL: 'warn', JWT_SECRET_FILE: '/f', OTHER: 'x', JWT_SECRET: '' };
  expect(documented(['LOG_LEVEL', 'JWT_SECRET'], environment)).toEqual({
    LOG_LEVEL: 'warn',
    JWT_SECRET_FILE: '/f',
  });
});
