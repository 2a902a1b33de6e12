import { documented, serviceEnvironment } from './environment';

const SETTINGS = {
  defaults: { LOG_LEVEL: 'info', JWT_SECRET: 'made up' },
  additions: { UPSTREAM_ALLOWED_CIDRS: '127.0.0.0/8' },
  wiring: { EDGE_PORT: '8080', INTERNAL_TOKEN: 'made up' },
};

test('without anything set a service gets what the stack suggests', () => {
  expect(serviceEnvironment(SETTINGS, {})).toEqual({
    env: { ...SETTINGS.defaults, ...SETTINGS.additions, ...SETTINGS.wiring },
    overridden: [],
  });
});

test('what the user has set is passed on, and holds over what is suggested', () => {
  const { env } = serviceEnvironment(SETTINGS, { LOG_LEVEL: 'warn', EDGE_WORKERS: '2' });
  expect(env).toMatchObject({ LOG_LEVEL: 'warn', EDGE_WORKERS: '2', JWT_SECRET: 'made up' });
});

test('networks of the user are allowed beside the loopback of the simulator', () => {
  const { env } = serviceEnvironment(SETTINGS, { UPSTREAM_ALLOWED_CIDRS: '10.0.0.0/8' });
  expect(env['UPSTREAM_ALLOWED_CIDRS']).toBe('10.0.0.0/8,127.0.0.0/8');
});

test('what the stack must set itself holds, and it says whose value it replaced', () => {
  const { env, overridden } = serviceEnvironment(SETTINGS, {
    EDGE_PORT: '8080',
    INTERNAL_TOKEN: 'mine',
  });
  expect(env).toMatchObject({ EDGE_PORT: '8080', INTERNAL_TOKEN: 'made up' });
  expect(overridden).toEqual(['INTERNAL_TOKEN']);
});

test('a secret in a file takes the place of a made-up one, and yields to wiring', () => {
  const { env, overridden } = serviceEnvironment(SETTINGS, {
    JWT_SECRET_FILE: '/run/jwt',
    INTERNAL_TOKEN_FILE: '/run/token',
  });
  expect(env['JWT_SECRET_FILE']).toBe('/run/jwt');
  expect(env).not.toHaveProperty('JWT_SECRET');
  expect(env).not.toHaveProperty('INTERNAL_TOKEN_FILE');
  expect(overridden).toEqual(['INTERNAL_TOKEN_FILE']);
});

test('only what a service documents is passed on, and nothing that is empty', () => {
  const environment = { LOG_LEVEL: 'warn', JWT_SECRET_FILE: '/f', OTHER: 'x', JWT_SECRET: '' };
  expect(documented(['LOG_LEVEL', 'JWT_SECRET'], environment)).toEqual({
    LOG_LEVEL: 'warn',
    JWT_SECRET_FILE: '/f',
  });
});
