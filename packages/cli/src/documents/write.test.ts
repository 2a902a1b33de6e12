import { STORED_SECRET } from '../kinds/fields';
import { ACME, documentsOf, installationOf } from '../test-support/fakes';
import { exportDocuments, exportText } from './write';

const provider = (name: string) => ({
  kind: 'Provider',
  name,
  spec: {
    type: 'PROVIDER_A',
    baseUrl: 'https://api.example.com/v1',
    apiKeys: ['default', 'default'].map((key) => ({ name: key, weight: 1, apiKey: STORED_SECRET })),
  },
});

test('each secret gets a variable of its own, also where names become equal', () => {
  const exported = exportDocuments(installationOf([ACME, provider('a.b'), provider('a-b')]));
  expect(exported.variables).toEqual([
    'TOLLGATE_SECRET_ACME_A_B_DEFAULT',
    'TOLLGATE_SECRET_ACME_A_B_DEFAULT_2',
    'TOLLGATE_SECRET_ACME_A_B_DEFAULT_3',
    'TOLLGATE_SECRET_ACME_A_B_DEFAULT_4',
  ]);
});

test('an export is read back as it was, in YAML and in JSON, ordered by name', () => {
  const exported = exportDocuments(installationOf([provider('b'), provider('a'), ACME]));
  for (const format of ['yaml', 'json'] as const) {
    const { documents } = documentsOf(exportText(exported, format));
    expect(documents.map(({ identity }) => identity.name)).toEqual(['acme', 'a', 'b']);
    expect(documents[1]?.spec).toEqual(exported.documents[1]?.spec);
  }
});
