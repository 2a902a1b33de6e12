import type { AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';
import { packTrace, type FinishedTrace } from '@tollgate/kit/tracing';

import { unavailable } from '../failure';
import type { Items } from './items';
import { tracedItems } from './traced-items';

const CONTEXT = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: true };

function setup(answer: () => Promise<AuthorizeReply>) {
  const traces: FinishedTrace[] = [];
  const items = { authorize: answer } as unknown as Items;
  const traced = tracedItems({ add: (trace) => traces.push(trace) }, items);
  const ask = (trace: Buffer) =>
    traced.authorize({ requestId: 'r', trace } as AuthorizeRequest__Output, 0);
  return { ask, traces };
}

test('a decision is a child of the span that waits for it', async () => {
  const denial = { code: 'budget_exceeded', limitId: 'limit-1', subject: { organisationId: 'o' } };
  const { ask, traces } = setup(() => Promise.resolve({ denial }));
  await ask(packTrace(CONTEXT));
  expect(traces).toMatchObject([
    {
      traceId: CONTEXT.traceId,
      spans: [
        {
          name: 'policy authorize',
          parentSpanId: CONTEXT.spanId,
          attributes: expect.arrayContaining([
            ['tollgate.request.id', 'r'],
            ['tollgate.decision', 'deny'],
            ['tollgate.denial.code', 'budget_exceeded'],
            ['tollgate.limit.id', 'limit-1'],
            ['tollgate.organisation.id', 'o'],
          ]),
        },
      ],
    },
  ]);
});

test('what decides learns who asks, traced or not', async () => {
  const authorize = jest.fn(() => Promise.resolve({}));
  const traced = tracedItems({ add: () => undefined }, { authorize } as unknown as Items);
  const request = { requestId: 'r', trace: packTrace(CONTEXT) } as AuthorizeRequest__Output;
  const caller = { session: 's', isOpen: () => true };
  await traced.authorize(request, 7, caller);
  expect(authorize).toHaveBeenCalledWith(request, 7, caller);
});

test('a failure is an error, and still the failure of its caller', async () => {
  const failure = unavailable('redis', 'away');
  const { ask, traces } = setup(() => Promise.reject(failure));
  await expect(ask(packTrace(CONTEXT))).rejects.toBe(failure);
  expect(traces[0]?.spans[0]).toMatchObject({
    error: 'UNAVAILABLE',
    attributes: [
      ['tollgate.request.id', 'r'],
      ['error.type', 'UNAVAILABLE'],
    ],
  });
});

test.each([
  ['nobody traces', Buffer.alloc(0), {}],
  ['its trace does not sample', packTrace({ ...CONTEXT, sampled: false }), {}],
  ['has an unknown key', packTrace(CONTEXT), { denial: { code: 'invalid_api_key' } }],
])('a request that %s has no span', async (_what, trace, reply) => {
  const { ask, traces } = setup(() => Promise.resolve(reply));
  expect(await ask(trace)).toBe(reply);
  expect(traces).toEqual([]);
});
