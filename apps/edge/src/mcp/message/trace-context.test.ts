import { traceInMessage, withTraceparent } from './trace-context';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const CALL = { traceId: TRACE, spanId: 'aaaaaaaaaaaaaaaa', sampled: true };
const paramsOf = (traceparent: unknown) => ({ _meta: { traceparent, tracestate: 'a=b' } });

test('a message names its trace', () => {
  expect(traceInMessage(paramsOf(PARENT))).toEqual({
    context: { traceId: TRACE, spanId: '00f067aa0ba902b7', sampled: true },
    state: 'a=b',
  });
});

test.each([[{}], [{ _meta: 7 }], [paramsOf(7)], [paramsOf('x')]])('%j names none', (params) => {
  expect(traceInMessage(params)).toBeUndefined();
});

const ESCAPED = `{"_meta":{"traceparent":"${PARENT.slice(0, 36)}\\u0030${PARENT.slice(37)}"}}`;

test('only the characters of the traceparent change', () => {
  const text = `{"a": 1.0, "params":{"_meta":{"traceparent":"${PARENT}"},"ü":"é"}}`;
  const changed = withTraceparent(Buffer.from(text), paramsOf(PARENT), CALL).toString();
  expect(changed).toBe(text.replace('00f067aa0ba902b7', CALL.spanId));
});

test.each([
  ['that has it twice', `{"_meta":{"traceparent":"${PARENT}"},"text":"${PARENT}"}`, PARENT],
  ['of another length', `{"_meta":{"traceparent":"${PARENT}-x"}}`, `${PARENT}-x`],
  ['that escapes it', ESCAPED, PARENT],
])('a message %s is left as it is', (_what, text, traceparent) => {
  const body = Buffer.from(text);
  expect(withTraceparent(body, paramsOf(traceparent), CALL)).toBe(body);
});
