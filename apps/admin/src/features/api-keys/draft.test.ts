import { bodyOf, newDraft, typesFor } from './draft';

const TEAM = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

test('everybody is offered the kinds of key their role may make', () => {
  const of = (role: Parameters<typeof typesFor>[0]['role'], managedTeamIds: string[] = []) =>
    typesFor({ role, managedTeamIds });
  expect(of('ORG_ADMIN')).toEqual(['ORGANISATION', 'TEAM', 'USER']);
  expect(of('MANAGER', [TEAM])).toEqual(['TEAM', 'USER']);
  expect(of('MANAGER')).toEqual(['USER']);
  expect(of('USER')).toEqual(['USER']);
});

test('only the owner that the type has is sent', () => {
  const draft = {
    ...newDraft({ role: 'ORG_ADMIN', managedTeamIds: [] }),
    name: 'n',
    mcpServerIds: [TEAM],
    teamId: TEAM,
    userId: TEAM,
  };
  expect(bodyOf(draft, 0)).toEqual({
    name: 'n',
    type: 'ORGANISATION',
    allowedRegions: [],
    modelIds: [],
    modelGrants: [],
    mcpServerIds: [TEAM],
  });
  expect(bodyOf({ ...draft, type: 'TEAM' }, 0)).toMatchObject({ teamId: TEAM });
  expect(bodyOf({ ...draft, type: 'TEAM' }, 0)).not.toHaveProperty('userId');
  expect(bodyOf({ ...draft, type: 'USER' }, 0)).toMatchObject({ teamId: TEAM, userId: TEAM });
});

test('an end is counted from now', () => {
  const draft = { ...newDraft({ role: 'USER', managedTeamIds: [] }), expiry: '7' as const };
  expect(bodyOf(draft, 0).expiresAt).toBe('1970-01-08T00:00:00.000Z');
});
