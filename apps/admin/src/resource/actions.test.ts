import { rest } from '@tollgate/contracts';

import type { RestClient } from '../api/rest-client';
import { deleteAction, turnAction } from './actions';
import type { Question } from './confirm-dialog';

const params = { organisationId: 'o', budgetId: 'b' };

/** The question that an action asks, and the bodies that were sent meanwhile. */
function asked(of: { readonly name?: string; readonly status: 'ACTIVE' | 'DISABLED' }) {
  const sent: unknown[] = [];
  const questions: Question[] = [];
  const client = {
    call: async (_endpoint: unknown, input: { body: unknown }) => void sent.push(input.body),
    versioned: async (_endpoint: unknown, input: { body: unknown }) => {
      sent.push(input.body);
      return { value: undefined, etag: '"2"' };
    },
  } as unknown as RestClient;
  const action = turnAction({
    noun: 'budget',
    ...of,
    client,
    set: (status) => [rest.updateBudget, { params, body: { status } }],
    consequence: { on: 'It binds.', off: 'It binds nothing.' },
    stale: [],
    ask: (question) => questions.push(question),
  });
  if ('onSelect' in action) action.onSelect();
  return { sent, label: action.label, question: questions[0] };
}

test('what is on is turned off, says so, and can be turned on again', async () => {
  const { sent, label, question } = asked({ name: 'chat', status: 'ACTIVE' });
  expect(label).toBe('Turn off');
  expect(question).toMatchObject({
    title: 'Turn off chat?',
    consequence: 'It binds nothing.',
    done: 'chat is off.',
  });
  await question?.run();
  await question?.undo?.run();
  expect(sent).toEqual([{ status: 'DISABLED' }, { status: 'ACTIVE' }]);
  expect(question?.undo?.done).toBe('chat is on again.');
});

test('what has no name is called by what it is', () => {
  const { question } = asked({ status: 'DISABLED' });
  expect(question).toMatchObject({ title: 'Turn on the budget?', done: 'The budget is on.' });
});

test('what has a name is deleted once the name is typed', () => {
  const questions: Question[] = [];
  const of = {
    noun: 'team',
    consequence: 'Its keys are revoked.',
    run: () => Promise.resolve(),
    stale: [],
    ask: (question: Question) => questions.push(question),
  };
  for (const action of [deleteAction({ ...of, name: 'Search' }), deleteAction(of)]) {
    if ('onSelect' in action) action.onSelect();
  }
  expect(questions).toMatchObject([
    {
      name: 'Search',
      title: 'Delete Search?',
      confirm: 'Delete team',
      done: 'Search was deleted.',
    },
    { title: 'Delete the team?', cancel: 'Keep the team', done: 'The team was deleted.' },
  ]);
  expect(questions[1]).not.toHaveProperty('name');
});
