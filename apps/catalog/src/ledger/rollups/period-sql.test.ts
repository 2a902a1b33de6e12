import { AMOUNT_COLUMNS } from '../records/amounts';
import { rebuildPeriods, sumNarrowRows } from './period-sql';

test('the columns of a migration are the only amounts in its SQL', () => {
  const amounts = ['an_amount'];
  const sql = rebuildPeriods('true', { amounts }) + sumNarrowRows('true', { amounts });
  expect(sql).toContain('sum(an_amount)::bigint AS an_amount');
  expect(AMOUNT_COLUMNS.filter((name) => new RegExp(`\\b${name}\\b`).test(sql))).toEqual([]);
});
