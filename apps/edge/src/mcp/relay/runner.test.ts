import type { Dispatcher } from 'undici';

import type { RunnerUpstream } from '../auth';
import { hostMatcher, runnerPlace, type Runner } from './runner';

const UPSTREAM: RunnerUpstream = {
  serverId: '01990000-0000-7000-8000-00000000abcd',
  version: 4,
  identifier: 'files',
  region: '',
  transport: 'STDIO',
  headers: {},
  connectTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
};

function runner(over: Partial<Runner> = {}): Runner {
  return {
    url: 'http://runner:8086/',
    mayCall: hostMatcher(['runner-*.runner:8086']),
    agentOf: (origin) => ({ origin }) as unknown as Dispatcher,
    token: 'service-token',
    ...over,
  };
}

test('a request without a session goes to any replica, with the service token and its owner', () => {
  const place = runnerPlace(runner(), UPSTREAM, { runnerUrl: '', principal: 'p-1' });
  expect(place).toMatchObject({
    origin: 'http://runner:8086',
    path: `/v1/servers/${UPSTREAM.serverId}/4`,
    headers: { authorization: 'Bearer service-token', 'x-tollgate-principal': 'p-1' },
  });
});

test('a request of a session goes to its replica', () => {
  const runnerUrl = 'http://runner-2.runner:8086';
  const place = runnerPlace(runner(), UPSTREAM, { runnerUrl, principal: 'p-1' });
  expect(place.origin).toBe(runnerUrl);
});

test('a replica that is no longer allowed is not called', () => {
  const place = runnerPlace(runner(), UPSTREAM, {
    runnerUrl: 'http://elsewhere:8086',
    principal: 'p-1',
  });
  expect(place.origin).toBe('http://runner:8086');
});

test('without a runner the refusal names it', () => {
  expect(() => runnerPlace(undefined, UPSTREAM, { runnerUrl: '', principal: 'p-1' })).toThrow(
    expect.objectContaining({
      code: 'dependency_unavailable',
      details: { dependency: 'runner' },
      message: expect.stringContaining('RUNNER_URL'),
    }),
  );
});

test.each([
  ['http://runner-0.runner:8086', true],
  ['https://runner-a-b.runner:8086/', true],
  ['http://RUNNER-1.runner:8086', true],
  ['http://runner-0.runner', false],
  ['http://runner-0.runner:80860', false],
  ['http://runner-0.evil.runner:8086', false],
  ['http://runner-0xrunner:8086', false],
  ['http://evil.example/?runner-0.runner:8086', false],
  ['http://user@runner-0.runner:8086', false],
  ['ftp://runner-0.runner:8086', false],
  ['runner-0.runner:8086', false],
  ['', false],
])('%s is allowed: %s', (url, allowed) => {
  expect(hostMatcher(['runner-*.runner:8086'])(url)).toBe(allowed);
});
