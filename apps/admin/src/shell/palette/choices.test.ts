import { ORGANISATION_NAVIGATION } from '../navigation';
import { pagesFor, requestsFor } from './choices';

const ALL = ORGANISATION_NAVIGATION.flatMap(({ entries }) =>
  entries.map(({ action }) => action ?? ''),
);
const names = (text: string, actions: readonly string[] = ALL): string[] =>
  pagesFor(ORGANISATION_NAVIGATION, actions, text, (page) => `/x/${page}`).map(({ name }) => name);

test('a page is found by any part of its name, whatever the case; a beginning comes first', () => {
  expect(names('quo')).toEqual(['Quotas']);
  expect(names('m').slice(0, 2)).toEqual(['Models', 'MCP servers']);
  expect(names('')).toContain('Dashboard');
});

test('pages that somebody may not see are not found', () => {
  expect(names('audit')).toEqual(['Audit']);
  expect(names('audit', ['models.read'])).toEqual([]);
});

const ID = '0199C0DE-0000-7000-8000-000000000001';
const requests = (text: string): unknown[] =>
  requestsFor(text, (where) => JSON.stringify(where)).map(({ does }) =>
    'href' in does ? (JSON.parse(does.href) as unknown) : does,
  );

test('an id opens its request, or lists those of the client or of a session', () => {
  expect(requests(ID)).toEqual([
    { requestId: ID.toLowerCase() },
    { clientRequestId: ID },
    { session: ID },
  ]);
  expect(requests('req-2026:17')).toEqual([
    { clientRequestId: 'req-2026:17' },
    { session: 'req-2026:17' },
  ]);
});

test.each(['', 'budgets', 'a1', 'shop app 2026', 'gpt 4o'])('%j is no id', (text) => {
  expect(requests(text)).toEqual([]);
});
