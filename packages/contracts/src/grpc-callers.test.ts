import { callerRole, CALLERS, RESERVED_CALLERS } from './grpc-callers';

test('a reserved name is its own role, every other one is an internal service', () => {
  expect(RESERVED_CALLERS.map(callerRole)).toEqual(RESERVED_CALLERS);
  for (const name of ['internal', 'nightly-report', 'edge2', 'constructor']) {
    expect(callerRole(name)).toBe('internal');
  }
  expect(CALLERS).toContain('internal');
});
