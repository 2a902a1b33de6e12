import { traceIdOf } from './trace-id';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

test.each([
  ['the header', PARENT, {}, TRACE],
  ['the message', undefined, { _meta: { traceparent: PARENT } }, TRACE],
  ['the header first', PARENT, { _meta: { traceparent: PARENT.replace('4b', '5c') } }, TRACE],
  ['a later version', `01-${TRACE}-00f067aa0ba902b7-01-more`, {}, TRACE],
  ['neither', undefined, {}, ''],
  ['a trace of zeros', PARENT.replace(TRACE, '0'.repeat(32)), {}, ''],
  ['what is no traceparent', 'x', { _meta: { traceparent: 7 } }, ''],
  ['a repeated header', [PARENT, PARENT], {}, ''],
])('the trace is that of %s', (_what, header, params, expected) => {
  expect(traceIdOf(header, params)).toBe(expected);
});
