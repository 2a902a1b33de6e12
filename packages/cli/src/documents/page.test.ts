import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { parse, parseAllDocuments } from 'yaml';

import { doc, docs, documentsOf } from '../test-support/fakes';
import { documentSchema } from './schema';

const page = readFileSync(join(__dirname, '../../../../docs/configuration-as-code.md'), 'utf8');
const examples = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text);

const isDocument = new Ajv2020({ strict: false, validateFormats: false }).compile(
  documentSchema() as object,
);

const valuesIn = (text: string): unknown[] =>
  parseAllDocuments(text).map((one): unknown => one.toJS());

test('the documents of docs/configuration-as-code.md are read, and fit the JSON schema', () => {
  const text = examples.join('---\n');
  expect(documentsOf(text).documents).toHaveLength(5);
  const refused = valuesIn(text).filter((value) => !isDocument(value));
  expect(refused).toEqual([]);
});

test('the documents that the chart applies in a development cluster are read, and fit the JSON schema', () => {
  const file = join(__dirname, '../../../../deploy/helm/values/development.yaml');
  const { bootstrap } = parse(readFileSync(file, 'utf8')) as {
    bootstrap: {
      documents: Record<string, string>;
      extraEnv: { name: string; value: string }[];
    };
  };
  const text = Object.values(bootstrap.documents).join('---\n');
  const env = Object.fromEntries(bootstrap.extraEnv.map(({ name, value }) => [name, value]));
  expect(documentsOf(text, env).documents).toHaveLength(3);
  expect(valuesIn(text).filter((value) => !isDocument(value))).toEqual([]);
});

test.each([
  ['a field that no kind has', doc('Team', 'blue', { colour: 'blue' })],
  ['a missing field', doc('Provider', 'p', { type: 'PROVIDER_A' })],
  ['a secret in the open', doc('McpServer', 'x', { name: 'X', secret: 'text' })],
  ['a limit with a name', doc('Budget', 'mine', { period: 'DAILY', limitUsd: '1' })],
])('the JSON schema refuses %s', (_what, text) => {
  expect(valuesIn(docs(text)).map((value) => isDocument(value))).toEqual([false]);
});
