import { rest } from '@tollgate/contracts';

import { isTooLong, residencyQuestion } from './residency-question';
import { usageState } from './state';

const state = (search: string) => {
  const given = new URLSearchParams(search);
  return usageState((name) => given.get(name) ?? undefined, {
    role: 'ORG_ADMIN',
    wide: false,
    nowMs: Date.parse('2026-11-28T12:00:00Z'),
    timeZone: 'UTC',
  });
};
const KEY = '01990000-0000-7000-8000-000000000001';

test('the question has the regions, the period and the filters of the page', () => {
  const asked = residencyQuestion('org', state(`range=7d&apiKeyId=${KEY}`), ' eu,  us eu ');
  expect(asked?.query).toMatchObject({ regions: 'eu,us', apiKeyId: KEY });
  expect(asked?.csv).toContain('/api/organisations/org/usage/residency/export?');
  expect(asked?.csv).toContain(`apiKeyId=${KEY}`);
  expect(asked?.ignored).toEqual([]);
});

test('filters that the report does not have are named', () => {
  const others = 'endUser=ada&session=s&agentClass=main&tag=a:b';
  const search = `status=FAILED&operation=chat&region=eu&${others}&teamId=${KEY}`;
  const asked = residencyQuestion('org', state(search), 'eu');
  expect(asked?.ignored).toEqual([
    'operation',
    'result',
    'region',
    'end user',
    'session',
    'agent class',
    'tag',
  ]);
  expect(asked?.query.teamId).toBe(KEY);
  expect(rest.getResidencyReport.query.safeParse(asked?.query).success).toBe(true);
});

test('without regions, or over more than a quarter, nothing is asked', () => {
  expect(residencyQuestion('org', state(''), ' , ')).toBeUndefined();
  const long = state('range=custom&from=2026-01-01&to=2026-06-01');
  expect(isTooLong(long)).toBe(true);
  expect(residencyQuestion('org', long, 'eu')).toBeUndefined();
});
