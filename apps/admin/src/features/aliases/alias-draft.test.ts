import { rest } from '@tollgate/contracts';

import { aliasBodyOf, aliasDraftOf, NEW_ALIAS, nextTarget } from './alias-draft';

const modelId = '019aa000-0000-7000-8000-000000000001';
const targets = [
  { modelId, effectiveFrom: null },
  { modelId, effectiveFrom: '2031-01-01T00:00:00.000Z' },
];

test('what is stored is sent back unchanged', () => {
  const alias: rest.ModelAlias = {
    id: modelId,
    organisationId: modelId,
    name: 'claude-fast',
    displayName: null,
    targets,
    currentModelId: modelId,
    retirement: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const { name, displayName, retirement } = alias;
  expect(aliasBodyOf(aliasDraftOf(alias))).toEqual({ name, displayName, targets, retirement });
});

test('the server names what an empty form lacks', () => {
  const { error } = rest.modelAliasCreate.safeParse(aliasBodyOf(NEW_ALIAS));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['name', 'targets.0.modelId']);
});

test('the next change is the first one to come', () => {
  expect(nextTarget(targets, Date.UTC(2030, 0))).toEqual(targets[1]);
  expect(nextTarget(targets, Date.UTC(2031, 0))).toBeUndefined();
});
