import { withQuery } from '../../shell/paths';
import { exportPath } from './export-path';

const ID = '00000000-0000-4000-8000-000000000001';

test('the export takes the filters of the list, and nothing of its paging', () => {
  const address = new Map([
    ['search', 'ada@'],
    ['targetType', 'apikey'],
    ['cursor', 'abc'],
    ['sort', 'createdAt'],
    ['actorId', 'nobody'],
  ]);
  expect(exportPath(ID, (name) => address.get(name))).toBe(
    `/api/organisations/${ID}/audit-events/export?search=ada%40&targetType=apikey`,
  );
});

test('a query is put behind what a path has already', () => {
  expect(
    withQuery('/admin/budgets?organisation=n', { scopeType: 'TEAM', scopeId: undefined }),
  ).toBe('/admin/budgets?organisation=n&scopeType=TEAM');
  expect(withQuery('/n/budgets', {})).toBe('/n/budgets');
});
