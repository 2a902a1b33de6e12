import { rest } from '@tollgate/contracts';

import { signInProblem } from './sign-in-problem';

test('every code of single sign-on has its sentence, and so have those of the interface', () => {
  for (const [code, sentence] of Object.entries(rest.SSO_ERRORS)) {
    expect(signInProblem(code)).toEqual({ code, sentence });
  }
  expect(signInProblem('dependency_unavailable')?.sentence).toMatch(/\S/);
  expect(signInProblem('not_found')?.sentence).toMatch(/not configured/);
});

test('what somebody wrote into the address is not shown', () => {
  for (const code of [undefined, '', 'Call this number', 'toString', '__proto__']) {
    expect(signInProblem(code)).toBeUndefined();
  }
});
