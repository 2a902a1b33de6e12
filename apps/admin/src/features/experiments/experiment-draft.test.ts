import { rest } from '@tollgate/contracts';

import { experimentBodyOf, experimentDraftOf, NEW_EXPERIMENT, stateOf } from './experiment-draft';

const modelId = '019aa000-0000-7000-8000-000000000001';
const experiment: rest.Experiment = {
  id: modelId,
  organisationId: modelId,
  name: 'trial',
  model: 'assistant',
  arms: [{ name: 'control', modelId, share: 100 }],
  shadow: { modelId, samplePercent: 25, dailyUsd: '5.00' },
  status: 'PAUSED',
  startsAt: null,
  endsAt: '2031-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

test('what is stored is sent back unchanged, without the name that is split', () => {
  const { name, arms, shadow, status, startsAt, endsAt } = experiment;
  const body = experimentBodyOf(experimentDraftOf(experiment));
  expect(body).toEqual({ name, arms, shadow, status, startsAt, endsAt });
  expect(rest.experimentPatch.safeParse(body).success).toBe(true);
});

test('an experiment without a shadow has none, and what a shadow lacks is named', () => {
  const without = experimentBodyOf(experimentDraftOf({ ...experiment, shadow: null }));
  expect(without.shadow).toBeNull();
  const draft = {
    ...experimentDraftOf(experiment),
    shadow: { modelId, samplePercent: '', dailyUsd: '' },
  };
  const { error } = rest.experimentPatch.safeParse(experimentBodyOf(draft));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'shadow.samplePercent',
    'shadow.dailyUsd',
  ]);
});

test('the server names what an empty form lacks', () => {
  const body = { ...experimentBodyOf(NEW_EXPERIMENT), model: NEW_EXPERIMENT.model };
  const { error } = rest.experimentCreate.safeParse(body);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'name',
    'arms.0.modelId',
    'arms.1.modelId',
    // Two arms without a model have the same one.
    'arms',
    'model',
  ]);
});

test('an experiment is planned, runs, is paused, and ends', () => {
  const at = Date.parse('2030-06-01T00:00:00Z');
  const active = { ...experiment, status: 'ACTIVE' as const };
  expect(stateOf(active, at)).toBe('Running');
  expect(stateOf({ ...active, startsAt: '2030-07-01T00:00:00Z' }, at)).toBe('Planned');
  expect(stateOf(experiment, at)).toBe('Paused');
  expect(stateOf({ ...active, endsAt: '2030-01-01T00:00:00Z' }, at)).toBe('Ended');
});
