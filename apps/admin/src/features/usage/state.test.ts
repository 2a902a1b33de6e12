import { rest } from '@tollgate/contracts';

import { exportOf } from './export';
import { groupInText } from './group-name';
import { ignoredOfMcp } from './ignored-filters';
import { mcpRecordsInput, recordsInput } from './list-inputs';
import { bucketsFor, groupsFor, questions, tooLongFor, usageState, type Looker } from './state';

const nowMs = Date.UTC(2026, 2, 30, 12, 34);
const looker: Looker = { role: 'ORG_ADMIN', wide: false, nowMs, timeZone: 'Europe/Berlin' };
const id = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

function stateOf(search: string, over: Partial<Looker> = {}) {
  const given = new URLSearchParams(search);
  return usageState((name) => given.get(name) ?? undefined, { ...looker, ...over });
}

test('an empty address is thirty days by model, beside those before', () => {
  const state = stateOf('');
  expect(state).toMatchObject({ range: '30d', group: 'model', bucket: 'day', compare: true });
  expect(questions(state).totals).toEqual({
    // Berlin's midnight, before and after its clocks went forward.
    from: '2026-02-28T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    bucket: 'day',
    compare: 'true',
  });
  expect(questions(state).groups).toMatchObject({ groupBy: 'model', orderBy: 'costUsd', top: 10 });
});

test('what the address says wrongly is left out', () => {
  const state = stateOf(
    'range=toString&group=nothing&bucket=week&order=x&teamId=me&status=NO&top=7',
  );
  expect(state).toMatchObject({ ...stateOf(''), filters: {} });
});

test('days of the zone are looked at whole, in whatever order they are given', () => {
  const { span, range } = stateOf('range=custom&from=2026-03-29&to=2026-03-28');
  expect(range).toBe('custom');
  expect(new Date(span.startMs).toISOString()).toBe('2026-03-27T23:00:00.000Z');
  // The 29th has 23 hours there.
  expect(span.endMs - span.startMs).toBe(47 * 3_600_000);
  const hours = stateOf('range=custom&from=2026-03-29T14:00Z&to=2026-03-29T17:00Z');
  expect(hours.span.endMs - hours.span.startMs).toBe(3 * 3_600_000);
  expect(hours.bucket).toBe('hour');
  expect(stateOf('range=custom&from=2026-03-29T14:00Z&to=2026-03-29T14:00Z').range).toBe('30d');
  expect(stateOf('range=custom&from=2026-02-31x&to=2026-03-01').range).toBe('30d');
});

test('of all organisations together there are no teams, users and keys', () => {
  expect(groupsFor(true)).not.toContain('team');
  expect(groupsFor(false)).not.toContain('organisation');
  const wide = stateOf(`group=team&teamId=${id}&modelId=${id}`, { wide: true });
  expect(wide).toMatchObject({ group: 'model', filters: { modelId: id } });
  expect(wide.filters).not.toHaveProperty('teamId');
});

const DAY = 86_400_000;
const shown = { group: 'model', filters: {}, top: 10, role: 'ORG_ADMIN' } as const;

test.each([
  ['a week', 7, {}, ['hour', 'day', 'month']],
  ['a month', 31, {}, ['hour', 'day', 'month']],
  ['a month by key', 31, { group: 'apikey' }, ['day', 'month']],
  ['a month of a team', 31, { filters: { teamId: id } }, ['day', 'month']],
  ['a month of a user’s own', 31, { role: 'USER' }, ['day', 'month']],
  ['a week by result', 7, { group: 'status' }, ['hour', 'day', 'month']],
  ['a week of a team by result', 7, { group: 'status', filters: { teamId: id } }, ['day', 'month']],
  ['a year of many groups', 365, { top: 50 }, ['month']],
  ['three years', 1_000, {}, ['month']],
] as const)('%s can be had by %j', (_words, days, over, buckets) => {
  const span = { startMs: 0, endMs: days * DAY };
  expect(bucketsFor({ ...shown, ...over, span })).toEqual(buckets);
});

test('hours of owners have no percentiles, so days are asked for', () => {
  expect(questions(stateOf('range=24h')).latency.bucket).toBe('hour');
  expect(questions(stateOf('range=24h', { role: 'USER' })).latency.bucket).toBe('day');
});

test('a list of requests calls the result by its own names', () => {
  expect(recordsInput(stateOf(`status=FAILED&apiKeyId=${id}&operation=chat`))).toEqual({
    from: '2026-02-28T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    outcome: 'FAILED',
    apiKeyId: id,
  });
  expect(recordsInput(stateOf('status=ABANDONED'))).toMatchObject({ mode: 'ABANDONED' });
});

test('the file has what the list shows, and covers a quarter at most', () => {
  const get = (name: string): string | undefined =>
    ({ httpStatus: '502', errorCode: '' })[name as 'httpStatus'];
  const { href, tooLong, filtered } = exportOf('o', stateOf('status=FAILED&range=7d'), get);
  const { pathname, searchParams } = new URL(href, 'http://console');
  expect(pathname).toBe('/api/organisations/o/usage/records/export');
  expect(Object.fromEntries(searchParams)).toEqual({
    from: '2026-03-23T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    outcome: 'FAILED',
    httpStatus: '502',
  });
  expect([tooLong, filtered]).toEqual([false, true]);
  expect(exportOf('o', stateOf(''), () => undefined).filtered).toBe(false);
  expect(exportOf('o', stateOf('range=12m'), get).tooLong).toBe(true);
});

test('usage is grouped and filtered by MCP server', () => {
  const state = stateOf(`group=mcp-server&mcpServerId=${id}`);
  expect(questions(state).groups).toMatchObject({ groupBy: 'mcp-server', mcpServerId: id });
  expect(recordsInput(state)).toMatchObject({ mcpServerId: id });
});

test('a list of MCP requests has no filter by model, and names those that it ignores', () => {
  const state = stateOf(
    `mcpServerId=${id}&teamId=${id}&modelId=${id}&providerId=${id}&operation=chat&status=PARTIAL`,
  );
  const input = mcpRecordsInput(state);
  expect(rest.listMcpUsageRecords.query.safeParse(input).success).toBe(true);
  expect(input).toEqual({
    from: '2026-02-28T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    mcpServerId: id,
    teamId: id,
    outcome: 'PARTIAL',
  });
  expect(ignoredOfMcp(state.filters)).toEqual(['model', 'provider', 'operation']);
  const abandoned = stateOf('status=ABANDONED');
  expect(mcpRecordsInput(abandoned)).not.toHaveProperty('outcome');
  expect(ignoredOfMcp(abandoned.filters)).toEqual(['abandoned requests']);
  expect(ignoredOfMcp(stateOf(`apiKeyId=${id}`).filters)).toEqual([]);
});

test('the file of MCP requests has the filters of their list', () => {
  const given: Readonly<Record<string, string>> = {
    method: 'tools/call',
    name: 'search',
    isError: 'perhaps',
    httpStatus: '502',
  };
  const { href, filtered } = exportOf('o', stateOf('range=7d'), (name) => given[name], 'mcp');
  const { pathname, searchParams } = new URL(href, 'http://console');
  expect(pathname).toBe('/api/organisations/o/usage/mcp-records/export');
  expect(Object.fromEntries(searchParams)).toEqual({
    from: '2026-03-23T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    method: 'tools/call',
    name: 'search',
  });
  expect(filtered).toBe(true);
});

test.each([
  ['model', 'model'],
  ['apikey', 'API key'],
  ['mcp-server', 'MCP server'],
] as const)('the grouping %s is "%s" within a sentence', (group, words) => {
  expect(groupInText(group)).toBe(words);
});

test('end users, sessions, agents and tags group and filter within an organisation', () => {
  const state = stateOf('group=tag&tagKey=project&session=s-1&tag=project%3Ablue&agentClass=main');
  expect(state).toMatchObject({
    group: 'tag',
    tagKey: 'project',
    filters: { session: 's-1', tag: 'project:blue', agentClass: 'main' },
  });
  expect(questions(state).groups).toMatchObject({ groupBy: 'tag', tagKey: 'project' });
  expect(recordsInput(state)).toMatchObject({ session: 's-1', tag: 'project:blue' });
  expect(ignoredOfMcp(state.filters)).toEqual(['session', 'agent class', 'tag']);
  expect(stateOf('group=tag').group).toBe('model');
  expect(stateOf('agentClass=boss').filters).toEqual({});
  expect(groupsFor(true)).not.toContain('session');
});

test.each([
  ['group=session&range=90d', rest.ATTRIBUTION_DAYS],
  ['tag=project%3Ablue&range=90d', rest.ATTRIBUTION_DAYS],
  ['region=eu&range=12m', rest.REGION_DAYS],
  ['group=session&session=s-1&range=12m', undefined],
  ['group=region&range=90d', undefined],
  ['group=session&range=7d', undefined],
  ['group=model&range=12m', undefined],
])('"%s" is too long for records: %s', (search, days) => {
  expect(tooLongFor(stateOf(search))).toBe(days);
});
