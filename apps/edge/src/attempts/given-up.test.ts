import type { Candidate__Output } from '@tollgate/contracts/node';

import type { Exchange } from '../exchange/exchange';
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
const gaveUp = (job: object, maxOutputTokens: number, latencyMs: number) =>
  chargeForGivenUp(
    { job: { ...asked, ...job } } as unknown as Pick<Exchange, 'job'>,
    candidate(maxOutputTokens),
    undefined,
    latencyMs,
  );

test.each([
  ['what it can have written by then', {}, 4_096, 2_000, 500],
  ['at most the bound', {}, 40, 2_000, 40],
  ['of every answer', { choices: 3 }, 4_096, 1_000, 750],
  ['nothing at once', {}, 4_096, 0, 0],
  ['nothing of an operation without output in tokens', {}, 0, 60_000, 0],
  ['nothing of a stream, whose output is seen', { stream: true }, 4_096, 2_000, 0],
])('a call that is given up is charged: %s', (_, job, bound, latencyMs, output) => {
  expect(gaveUp(job, bound, latencyMs)).toMatchObject({
    usage: { input: 7, output },
    costNanoUsd: BigInt(7 + output),
    quality: 'ESTIMATED',
  });
});
