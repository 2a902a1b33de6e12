import { Failure } from '../failure';
import { KEY, SUBJECT } from '../test-support/contexts';
import { createHoldTokens } from './hold-token';
import { decodeTicket, encodeTicket, type Ticket } from './ticket';

const ticket: Ticket = {
  shard: 7,
  keySha256: KEY,
  subject: SUBJECT,
  timeZone: 'Europe/Berlin',
  operation: 'chat',
  route: '/v1/llm/chat',
  clientRequestId: 'ünïque, "quoted"',
  inputTokens: 10,
  audioInputTokens: 3,
  units: { image: 2 },
  choices: 2,
  heldOutputTokens: 20,
  heldNanoUsd: 9_000_000_000_000_000n,
  outputPrice: 2_000_000_000n,
  clamped: true,
  step: 3,
  candidates: [
    {
      modelId: 'm',
      modelName: 'small',
      providerId: 'p',
      connectionVersion: 4,
      priceId: 'x',
      outputBound: 30,
      heldOutputTokens: 20,
      inSteps: true,
      probeUntilMs: 0,
    },
    {
      modelId: 'n',
      modelName: 'other',
      providerId: 'q',
      connectionVersion: 1,
      priceId: 'y',
      outputBound: 30,
      heldOutputTokens: 30,
      inSteps: false,
      probeUntilMs: 1_700_000_000_000,
    },
  ],
  limits: [
    {
      limitId: 'l',
      kind: 'QUOTA',
      metric: 'TOKENS',
      scopeType: 'TEAM',
      scopeId: 't',
      period: '',
      windowSeconds: 60,
      limit: 5n,
      mode: 'SOFT',
      windowStartMs: 1,
      windowEndMs: 2,
      held: 50n,
    },
  ],
};
const REQUEST = '019aa000-0000-7000-8000-000000000001';
const tokens = createHoldTokens(['a secret']);
const held = {
  ticket,
  text: encodeTicket(ticket),
  authorisedAtMs: 1_000,
  leaseUntilMs: 2_000,
  floatId: '',
};
const token = createHoldTokens(['a secret']).write(REQUEST, held);

function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
  return 'read';
}

test('a token carries everything there and back', () => {
  expect(tokens.read(REQUEST, token)).toEqual(held);
  const own = createHoldTokens(['a secret']);
  expect(own.read(REQUEST, own.write(REQUEST, held))).toEqual(held);
});

test('a token names the float of its hold, and reads as before without one', () => {
  const floatId = '019aa000-0000-4000-8000-000000000001.17';
  const fresh = tokens.write(REQUEST, { ...held, floatId });
  expect(createHoldTokens(['a secret']).read(REQUEST, fresh)).toEqual({ ...held, floatId });
  expect(token.toString('utf8', 16)).toBe(`1000.2000.${encodeTicket(ticket)}`);
});

test('the arm of an experiment is in the ticket, which an earlier release still reads', () => {
  for (const clamped of [true, false]) {
    const inArm = { ...ticket, clamped, arm: { experimentId: REQUEST, arm: 'candidate' } };
    const text = encodeTicket(inArm);
    expect(decodeTicket(text)).toEqual(inArm);
    // Earlier releases read ten fields, three of money, of which the last is true or anything else.
    const fields = JSON.parse(text) as unknown[][];
    expect([fields.length, fields[7]?.length, fields[7]?.[2] === true]).toEqual([10, 3, false]);
  }
  const text = encodeTicket({ ...ticket, arm: { experimentId: REQUEST, arm: 'candidate' } });
  expect(() => decodeTicket(text.replace(',"candidate"]', ']'))).toThrow(RangeError);
  expect(() => decodeTicket(text.replace('"candidate"]', '7]'))).toThrow(RangeError);
});

test('another request’s token, a changed one, a foreign one and noise are refused', () => {
  const other = REQUEST.replace(/1$/, '2');
  expect(codeOf(() => tokens.read(other, token))).toBe('INVALID_ARGUMENT');
  for (let at = 0; at < token.length; at += 37) {
    const changed = Buffer.from(token);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(codeOf(() => tokens.read(REQUEST, changed))).toBe('INVALID_ARGUMENT');
  }
  const foreign = createHoldTokens(['another']).write(REQUEST, held);
  expect(codeOf(() => tokens.read(REQUEST, foreign))).toBe('INVALID_ARGUMENT');
  expect(codeOf(() => tokens.read(REQUEST, Buffer.alloc(0)))).toBe('INVALID_ARGUMENT');
  expect(codeOf(() => tokens.read(REQUEST, Buffer.alloc(100)))).toBe('INVALID_ARGUMENT');
});

test('after a change of the secret tokens of the old one still work', () => {
  const next = createHoldTokens(['a new secret', 'a secret']);
  expect(next.read(REQUEST, token).ticket).toEqual(ticket);
  const fresh = next.write(REQUEST, held);
  expect(codeOf(() => tokens.read(REQUEST, fresh))).toBe('INVALID_ARGUMENT');
});

test('a signed text that is not a ticket is refused, not believed', () => {
  for (const text of ['', '{}', '[]', '[1]', encodeTicket(ticket).replace('"QUOTA"', '"WISH"')]) {
    const signed = createHoldTokens(['a secret']).write(REQUEST, { ...held, text });
    expect(codeOf(() => tokens.read(REQUEST, signed))).toBe('INVALID_ARGUMENT');
  }
  expect(() => decodeTicket(encodeTicket(ticket).replace('[2,', '[99,'))).toThrow('version');
});

test('a token is read after its request was forgotten, by its bytes', () => {
  const own = createHoldTokens(['a secret']);
  const written = own.write(REQUEST, held);
  own.forget(REQUEST);
  expect(own.read(REQUEST, written)).toEqual(held);
});
