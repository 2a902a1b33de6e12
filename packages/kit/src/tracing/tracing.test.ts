import { uuidv7 } from '../uuidv7';
import { parsePairs } from './pairs';
import { createSampler, type SamplerName } from './sampler';
import {
  formatTraceparent,
  newSpanId,
  packTrace,
  parseTraceparent,
  readTracestate,
  unpackTrace,
} from './trace-context';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const CONTEXT = { traceId: TRACE, spanId: SPAN, sampled: true };

test.each([
  ['version 00', `00-${TRACE}-${SPAN}-01`, CONTEXT],
  ['other flags', `00-${TRACE}-${SPAN}-02`, { ...CONTEXT, sampled: false }],
  ['a later version', `01-${TRACE}-${SPAN}-01-more`, CONTEXT],
  ['version 00 with more', `00-${TRACE}-${SPAN}-01-more`, undefined],
  ['the invalid version', `ff-${TRACE}-${SPAN}-01`, undefined],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  ['two of them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, undefined],
  ['no text', 7, undefined],
])('a traceparent of %s', (_what, text, expected) => {
  expect(parseTraceparent(text)).toEqual(expected);
});

test('what is written can be read', () => {
  const context = { ...CONTEXT, spanId: newSpanId() };
  expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  expect(unpackTrace(packTrace(context))).toEqual(context);
  expect(unpackTrace(Buffer.alloc(0))).toBeUndefined();
});

test.each([
  ['a=b,c=d', 'a=b,c=d'],
  ['x'.repeat(513), ''],
  ['a=\n', ''],
  [undefined, ''],
])('a tracestate: %j', (text, expected) => {
  expect(readTracestate(text)).toBe(expected);
});

const ALL = `${TRACE.slice(0, 18)}ffffffffffffff`;
const NONE = `${TRACE.slice(0, 18)}00000000000000`;
const sampler = (name: SamplerName, ratio = 0.5, trustCallers = true) =>
  createSampler({ name, ratio, trustCallers });

test.each<[SamplerName, string, boolean, boolean, string]>([
  ['always_on', NONE, false, true, 'own'],
  ['always_off', ALL, true, true, 'no'],
  ['traceidratio', ALL, false, true, 'own'],
  ['traceidratio', NONE, true, true, 'no'],
  ['parentbased_always_on', NONE, true, false, 'own'],
  ['parentbased_always_on', ALL, false, true, 'no'],
  ['parentbased_always_off', ALL, true, true, 'caller'],
  ['parentbased_always_off', ALL, true, false, 'no'],
  ['parentbased_traceidratio', ALL, true, false, 'own'],
  ['parentbased_traceidratio', NONE, true, false, 'no'],
  ['parentbased_traceidratio', NONE, true, true, 'caller'],
])('%s, trace %s, sampled %s, trusted %s: %s', (name, traceId, sampled, trusted, expected) => {
  expect(sampler(name, 0.5, trusted).continued(traceId, sampled)).toBe(expected);
});

test('a trace that begins here is sampled as one of its id would be', () => {
  const half = sampler('traceidratio');
  const ids = Array.from({ length: 2_000 }, () => uuidv7());
  const begun = ids.map((id) => half.begun(id));
  expect(begun).toEqual(ids.map((id) => half.continued(id.replaceAll('-', ''), false)));
  // Six standard deviations.
  const share = begun.filter((one) => one === 'own').length / ids.length;
  expect(Math.abs(share - 0.5)).toBeLessThan(0.067);
});

test.each([0, 0.000_1, 0.01, 0.3, 0.5, 0.999, 1])(
  'of ids the part %d is sampled whose random digits are the largest',
  (ratio) => {
    const least = Math.ceil((1 - ratio) * 2 ** 52);
    const traceOf = (random: number) => '0'.repeat(18) + random.toString(16).padStart(13, '0');
    const randoms = [0, 1, 2 ** 51, 2 ** 52 - 1, least - 1, least, least + 1];
    for (const random of randoms.filter((one) => one >= 0 && one < 2 ** 52)) {
      const sampling = sampler('traceidratio', ratio).continued(`${traceOf(random)}0`, false);
      expect([random, sampling]).toEqual([random, random >= least ? 'own' : 'no']);
    }
  },
);

test('pairs are percent-encoded, and a wrong one is named by its place', () => {
  expect(parsePairs(' a=b%2Cc, d=e=f ,')).toEqual({ a: 'b,c', d: 'e=f' });
  expect(() => parsePairs('a=b,secret')).toThrow('entry 2');
  expect(() => parsePairs('a=%')).toThrow('entry 1');
  expect(() => parsePairs('secret')).not.toThrow('secret');
});
