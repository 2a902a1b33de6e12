import { rest } from '@tollgate/contracts';

import { FILTER_NAMES } from '../state';
import { changesFor, isShown, parametersIn } from './view-parameters';

const getOf = (text: string) => {
  const search = new URLSearchParams(text);
  return (name: string) => search.get(name) ?? undefined;
};

test('a view keeps what the explorer shows, and not the tab or the organisation', () => {
  const get = getOf('tab=requests&organisation=acme&group=team&range=7d&cursor=x&teamId=');
  expect(parametersIn(get)).toEqual({ group: 'team', range: '7d' });
});

test('every filter of the explorer can be kept', () => {
  const names: readonly string[] = rest.USAGE_VIEW_PARAMETERS;
  expect(FILTER_NAMES.filter((name) => !names.includes(name))).toEqual([]);
});

test('showing a view removes filters that it lacks', () => {
  const changes = changesFor({ group: 'team' });
  expect(changes).toMatchObject({ group: 'team', range: undefined, modelId: undefined });
  expect(isShown({ group: 'team' }, getOf('group=team&tab=overview'))).toBe(true);
  expect(isShown({ group: 'team' }, getOf('group=team&range=7d'))).toBe(false);
});
