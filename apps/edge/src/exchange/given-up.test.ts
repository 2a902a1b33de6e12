import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Passage } from '../operations';
import type { Exchange } from './exchange';
import { chargeForGivenUp } from './given-up';

// A client that hangs up shortly before a whole answer would otherwise get its output billed to the gateway for nothing.

const NANO_PER_TOKEN = { input: '1000000', output: '1000000' };
const candidate = (maxOutputTokens: number) =>
  ({
    maxOutputTokens,
    serviceTier: '',
    price: {
      steps: [{ fromInputTokens: 0, ...NANO_PER_TOKEN }],
      perRequestNanoUsd: '0',
      perUnitNanoUsd: {},
    },
  }) as unknown as Candidate__Output;

const asked = {
  stream: false,
  choices: 1,
  inputTokensEstimate: 7,
  audioInputTokensEstimate: 0,
  unitsEstimate: {},
  textOutput: true,
};
const gaveUp = (job: object, maxOutputTokens: number, unseenMs: number, report?: object) =>
  chargeForGivenUp(
    { job: { ...asked, ...job } } as unknown as Pick<Exchange, 'job'>,
    candidate(maxOutputTokens),
    report && ({ report } as unknown as Passage),
    unseenMs,
  );

test.each([
  ['what it can have written by then', {}, 4_096, 2_000, 500],
  ['at most the bound', {}, 40, 2_000, 40],
  ['of every answer', { choices: 3 }, 4_096, 1_000, 750],
  ['nothing at once', {}, 4_096, 0, 0],
  ['nothing of an operation without output in tokens', {}, 0, 60_000, 0],
])('a call that is given up is charged: %s', (_, job, bound, unseenMs, output) => {
  expect(gaveUp(job, bound, unseenMs)).toMatchObject({
    usage: { input: 7, output },
    costNanoUsd: BigInt(7 + output),
    quality: 'ESTIMATED',
  });
});

test.each([
  ['that nothing was seen of, for the time that its model may have thought', false, 0, 500],
  ['for its output, once there is any', true, 3, 3],
])('a stream is charged, %s', (_, outputSeen, outputTokensEstimate, output) => {
  const charge = gaveUp({ stream: true }, 4_096, 2_000, { outputSeen, outputTokensEstimate });
  expect(charge).toMatchObject({ usage: { input: 7, output }, quality: 'ESTIMATED' });
});
