import { createLogger } from '@tollgate/kit';

import { planOf } from '../directory';
import type { Issuer } from '../store';
import { StoreUnavailableError } from '../store';
import { context, settled } from '../test-support/contexts';
import { createIssuers } from './issuers';
import type { Ticket } from './ticket';

const plan = planOf(context());
const issuer: Issuer = { providerId: 'p', connectionVersion: 1, modelId: 'm' };

function bench(answers: (Issuer | null)[]) {
  const clock = { nowMs: 1_000 };
  const waits: number[] = [];
  const lines: string[] = [];
  const kept: string[] = [];
  const issuers = createIssuers({
    store: {
      recallIssuer: () => Promise.resolve(answers.shift() ?? null),
      rememberIssuer: ({ responseId }) => {
        if (responseId === 'full') return Promise.reject(new StoreUnavailableError('OOM'));
        kept.push(responseId);
        return Promise.resolve();
      },
    },
    clock: { now: () => clock.nowMs },
    wait: (ms) => {
      waits.push(ms);
      clock.nowMs += ms;
      return Promise.resolve();
    },
    log: createLogger({ service: 'test', level: 'warn', write: (line) => lines.push(line) }),
  });
  return { issuers, waits, lines, kept };
}

test('a response whose settle is a moment behind its answer is looked for again', async () => {
  const { issuers, waits } = bench([null, issuer]);
  expect(await issuers.find(plan, 'resp_1', 2_000)).toEqual(issuer);
  expect(waits).toEqual([30]);
});

test('an unknown one is given up after three looks, or when time is short', async () => {
  const patient = bench([]);
  expect(await patient.issuers.find(plan, 'resp_1', 2_000)).toBeUndefined();
  expect(patient.waits).toEqual([30, 90]);
  const hurried = bench([]);
  expect(await hurried.issuers.find(plan, 'resp_1', 1_020)).toBeUndefined();
  expect(hurried.waits).toEqual([]);
});

test('a store that cannot keep a response does not hinder its settle', async () => {
  const { issuers, lines, kept } = bench([]);
  const candidate = { modelId: 'model-1', providerId: 'p', connectionVersion: 1 };
  const ticket = {
    shard: 1,
    subject: plan.subject,
    operation: 'responses',
    candidates: [candidate],
  } as unknown as Ticket;
  const settle = (responseId: string) => settled('r', Buffer.alloc(0), { responseId });
  await issuers.keep(ticket, settle('full'));
  expect(lines.join()).toContain('cannot be continued');
  await issuers.keep(ticket, settle('resp_1'));
  await issuers.keep(ticket, settle(''));
  expect(kept).toEqual(['resp_1']);
});
