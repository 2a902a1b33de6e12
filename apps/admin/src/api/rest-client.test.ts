import { rest } from '@tollgate/contracts';

import { fieldError, hasOtherErrors } from '../design/field-error';
import { modelBodyOf, NEW_MODEL } from '../features/models/model-draft';
import { NEW_PRICE, nextStep } from '../features/models/price-draft';
import { numberOrNull } from '../resource/typed';
import { ApiError, createRestClient, errorOf, shown, type RestAnswer } from './rest-client';

function answering(status: number, data: unknown): RestAnswer {
  return { status, data, header: (name) => (name === 'x-request-id' ? 'req-1' : undefined) };
}

const team = {
  id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
  organisationId: '01a200b7-30ab-7031-b144-0a2f9f4d5a01',
  name: 'Search',
  memberCount: 2,
  allowedRegions: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const params = { organisationId: team.organisationId };

test("a call is made of the endpoint's row, and its answer parsed", async () => {
  const sent: unknown[] = [];
  const client = createRestClient((request) => {
    sent.push(request);
    return Promise.resolve(answering(201, { ...team, extra: 1 }));
  });
  const made = await client.call(rest.createTeam, {
    params,
    body: { name: 'Search' },
    idempotencyKey: 'k',
  });
  expect(made).toEqual(team);
  expect(sent).toEqual([
    {
      method: 'POST',
      url: `/api/organisations/${team.organisationId}/teams`,
      data: { name: 'Search' },
      headers: { 'idempotency-key': 'k' },
    },
  ]);
});

test("a refusal is thrown in the server's words, with its fields and its request", async () => {
  const details = [{ path: 'name', message: 'exists already' }];
  const client = createRestClient(() =>
    Promise.resolve(answering(409, { error: { code: 'conflict', message: 'No.', details } })),
  );
  await expect(client.call(rest.createTeam, { params, body: { name: 'x' } })).rejects.toMatchObject(
    {
      status: 409,
      code: 'conflict',
      message: 'No.',
      details,
      requestId: 'req-1',
    },
  );
});

test('what was typed and is no number is told by its fields, and nothing is sent', async () => {
  const send = jest.fn();
  const client = createRestClient(send);
  const call = client.call(rest.updateOrganisation, {
    params,
    body: { name: 'Search', retentionDays: numberOrNull('3o') },
  });
  const message = 'must be a whole number';
  await expect(call).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'retentionDays', message }],
  });
  const failure = await client
    .call(rest.createModel, {
      params,
      body: modelBodyOf({
        ...NEW_MODEL,
        maxOutputTokens: 'many',
        price: { ...NEW_PRICE, steps: [nextStep()] },
      }),
    })
    .catch((error: unknown) => error);
  expect(fieldError(failure, 'maxOutputTokens')).toBe(message);
  expect(fieldError(failure, 'prices[0].steps[0].fromInputTokens')).toBe(message);
  expect(hasOtherErrors(failure, ['maxOutputTokens', 'prices'])).toBe(false);
  expect(send).not.toHaveBeenCalled();
});

test('an answer of another shape is an error, not data', async () => {
  const client = createRestClient(() => Promise.resolve(answering(200, { id: 1 })));
  const call = client.call(rest.getTeam, { params: { ...params, teamId: team.id } });
  await expect(call).rejects.toMatchObject({ code: 'unexpected_answer' });
  expect(errorOf(answering(502, '<html>')).code).toBe('unexpected_answer');
});

test('whatever is thrown can be shown', () => {
  const known = new ApiError(403, 'forbidden', 'No.');
  expect(shown(known)).toBe(known);
  expect(shown(new TypeError('fetch failed'))).toMatchObject({ code: 'unreachable' });
});

test('an error is recognised across copies of its class, as several bundles have them', () => {
  let other = ApiError;
  jest.isolateModules(() => {
    ({ ApiError: other } = jest.requireActual<{ ApiError: typeof ApiError }>('./rest-client'));
  });
  expect(other).not.toBe(ApiError);
  const error = new other(403, 'forbidden', 'No.');
  expect(error instanceof ApiError).toBe(true);
  expect(shown(error)).toBe(error);
  for (const stranger of [new Error('x'), null, undefined, 'ApiError', { name: 'ApiError' }]) {
    expect((stranger as unknown) instanceof ApiError).toBe(false);
  }
});
