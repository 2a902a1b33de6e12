import { gatewayError } from '@tollgate/contracts';
import { DEPENDENCY_TRAILER } from '@tollgate/contracts/node';
import { GrpcFailure, grpcStatus, type GrpcStatus } from '@tollgate/kit';

import { KEY, startHarness, type ErrorBody, type Harness } from '../test-support/harness';

// A key is never called invalid because policy could not answer.

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
afterAll(() => h.stop());

const validate = () =>
  fetch(`${h.edge.url}/v1/keys/validate`, { method: 'POST', body: JSON.stringify({ key: KEY }) });

const dependency = (name: string) => ({ trailers: { [DEPENDENCY_TRAILER]: name } });

const FAILURES: [name: string, failure: Error, told: string][] = [
  ['the catalog away', unavailable(dependency('catalog')), 'catalog'],
  ['Redis away', unavailable(dependency('redis')), 'redis'],
  ['policy stopping', unavailable(), 'policy'],
  ['a deadline exceeded', failed(grpcStatus.DEADLINE_EXCEEDED), 'policy'],
  ['an unknown service token', failed(grpcStatus.UNAUTHENTICATED), 'policy'],
  ['a service token without permission', failed(grpcStatus.PERMISSION_DENIED), 'policy'],
  ['a bug', new Error('a bug'), 'policy'],
];

function failed(code: GrpcStatus, options = {}) {
  return new GrpcFailure(code, 'away', options);
}

function unavailable(options = {}) {
  return failed(grpcStatus.UNAVAILABLE, options);
}

test.each(FAILURES)('with %s it is 503 and names the dependency', async (_, failure, told) => {
  h.policy.validate = () => {
    throw failure;
  };
  for (const answer of [await validate(), await fetchModels()]) {
    const { error } = (await answer.json()) as ErrorBody;
    expect([answer.status, error.code]).toEqual([503, 'dependency_unavailable']);
    expect(error.details).toEqual({ dependency: told });
    expect(error.message).toBe(gatewayError('dependency_unavailable').message);
  }
});

const fetchModels = () =>
  fetch(`${h.edge.url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } });

test('without policy it is 503 as well', async () => {
  const alone = await startHarness();
  try {
    await alone.policy.stop();
    const answer = await alone.post('/v1/keys/validate', '');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { details: { dependency: 'policy' } } });
  } finally {
    await alone.stop();
  }
});
