import { doc, docs, documentsOf } from '../test-support/fakes';
import { FaultyDocuments } from './faults';
import { readDocuments } from './read';

function faultsIn(text: string): string[] {
  try {
    documentsOf(text);
  } catch (error) {
    if (error instanceof FaultyDocuments) return error.message.split('\n');
    throw error;
  }
  return [];
}

const MODEL = `# A model
apiVersion: tollgate/v1
kind: Model
metadata:
  organisation: acme
  name: chat
spec:
  provider: openai
  contextTokens: many
  prices:
    - steps:
        - input: '1'
          output: one
`;

test('a fault names file, line, object and field', () => {
  expect(faultsIn(MODEL)).toEqual([
    'acme.yaml:9: Model chat: spec.contextTokens: Invalid input: expected number, received string',
    'acme.yaml:13: Model chat: spec.prices[0].steps[0].output: decimal US dollars with at most nine places, such as "12.50"',
  ]);
});

test('all faults of all documents are told at once', () => {
  const text = docs(
    doc('Provider', 'p', { type: 'PROVIDER_A' }),
    doc('Nothing', 'x', {}),
    doc('Team', null, {}),
    'apiVersion: tollgate/v2\nkind: Team',
    'kind: [',
  );
  const faults = faultsIn(text);
  expect(faults).toHaveLength(5);
  expect(faults.join('\n')).toMatch(/spec\.baseUrl/);
  expect(faults.join('\n')).toMatch(/kind: is not a kind; the kinds are Organisation, /);
  expect(faults.join('\n')).toMatch(/Team: metadata\.name/);
  expect(faults.join('\n')).toMatch(/apiVersion/);
});

test('an unknown field is refused, and a secret in place of a reference', () => {
  const withSecret = doc('Provider', 'p', {
    type: 'PROVIDER_A',
    baseUrl: 'https://api.example.com',
    apiKeys: [{ apiKey: 'sk-in-the-open' }],
    colour: 'blue',
  });
  const faults = faultsIn(withSecret).join('\n');
  expect(faults).toMatch(/spec\.apiKeys\[0\]\.apiKey/);
  expect(faults).toMatch(/colour/);
  expect(faults).not.toContain('sk-in-the-open');
});

test("rules of the API about several fields are checked before anything is sent, under the document's names", () => {
  const server = doc('McpServer', 'tools', {
    name: 'Tools',
    transport: 'STDIO',
    url: 'https://x.example',
  });
  expect(faultsIn(server)).toEqual([
    'acme.yaml:1: McpServer acme/tools: spec.command: transport STDIO needs one',
    'acme.yaml:1: McpServer acme/tools: spec.url: transport STDIO has none',
  ]);
  const user = doc('User', 'a@acme.example', { name: 'Ada', role: 'SUPER_ADMIN' });
  expect(faultsIn(user).join()).toMatch(/User acme\/a@acme\.example: spec\.role/);
});

test('the same object twice is a fault; an ordinal tells keys of one name apart', () => {
  const key = doc('ApiKey', 'app', { type: 'ORGANISATION' });
  expect(faultsIn(docs(key, key))).toEqual([
    'acme.yaml:3: ApiKey acme/app: is described twice, first at acme.yaml:1; metadata.ordinal tells objects of one name apart',
  ]);
  const second = doc('ApiKey', 'app', { type: 'ORGANISATION' }, { ordinal: 2 });
  expect(documentsOf(docs(key, second)).documents).toHaveLength(2);
  const budget = doc('Budget', null, {
    scope: { type: 'TEAM', name: 'blue' },
    period: 'DAILY',
    limitUsd: '1',
  });
  expect(faultsIn(docs(budget, budget)).join()).toMatch(
    /Budget acme\/TEAM blue DAILY: is described twice/,
  );
});

test('a list of documents in JSON is read as documents in YAML are', () => {
  const list = `[\n${doc('Team', 'blue', {})},\n${doc('Team', 'red', { members: 1 })}]`;
  expect(faultsIn(list)).toEqual([
    expect.stringMatching(/^acme\.yaml:3: Team red: spec\.members: /),
  ]);
  expect(
    documentsOf(list.replace('"members":1', '"members":[]')).documents.map(
      ({ identity }) => identity.name,
    ),
  ).toEqual(['blue', 'red']);
});

test('aliases that multiply are refused', () => {
  const lines = Array.from({ length: 9 }, (_, n) =>
    n === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x]' : `a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}]`,
  );
  expect(faultsIn(lines.join('\n')).join()).toMatch(/alias/i);
});

test('what an Ownership document claims is known by organisation', () => {
  const owned = (...kinds: string[]) => doc('Ownership', null, { kinds });
  const read = documentsOf(docs(owned('Model'), owned('Budget', 'Model')));
  expect([...(read.owned.get('acme') ?? [])]).toEqual(['Model', 'Budget']);
  expect(faultsIn(owned('Organisation')).join()).toMatch(/spec\.kinds\[0\]/);
  expect(faultsIn(owned('User')).join()).toMatch(/spec\.kinds\[0\]/);
});

test('no documents are no fault, and an empty file neither', () => {
  const files = ['', '---\n', '# nothing'].map((text) => ({ name: 'x', folder: '.', text }));
  expect(readDocuments(files, {}).documents).toEqual([]);
});
