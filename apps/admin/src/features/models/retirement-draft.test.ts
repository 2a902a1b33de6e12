import { rest } from '@tollgate/contracts';

import { NEW_RETIREMENT, retirementBodyOf, retirementDraftOf } from './retirement-draft';

test('no announced end is no draft, and back', () => {
  expect(retirementDraftOf(null)).toBeUndefined();
  expect(retirementBodyOf(undefined)).toBeNull();
});

test('what is stored is sent back unchanged', () => {
  const stored: rest.Retirement = {
    deprecatedAt: '2026-01-01T00:00:00.000Z',
    sunsetAt: '2031-01-01T00:00:00.000Z',
    replacementModelId: '019aa000-0000-7000-8000-000000000000',
    onSunset: 'REPLACE',
    url: 'https://example.com/x',
  };
  expect(retirementBodyOf(retirementDraftOf(stored))).toEqual(stored);
});

test('an empty form names the field that is missing', () => {
  const { error } = rest.retirementGiven.safeParse(retirementBodyOf(NEW_RETIREMENT));
  expect(error?.issues.map(({ path }) => path)).toEqual([['deprecatedAt']]);
});
