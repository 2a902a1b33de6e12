import { tooBusy } from './item';

test.each([
  ['DEADLINE_EXCEEDED', 'policy', true],
  ['DEADLINE_EXCEEDED', 'redis', true],
  ['RESOURCE_EXHAUSTED', 'policy', true],
  ['RESOURCE_EXHAUSTED', 'catalog', false],
  ['UNAVAILABLE', 'redis', false],
])('%s of %s is a reason to ask policy less: %s', (code, dependency, less) => {
  expect(tooBusy({ code, dependency, message: '' })).toBe(less);
});
