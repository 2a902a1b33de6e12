import { signInBody, signInDraft } from './mcp-sign-in-draft';

test('what was read is what is sent, and what was typed is trimmed', () => {
  const rules = [{ claim: 'email', value: 'ana@acme.example', apiKeyId: 'k1' }];
  const read = { issuer: 'https://id.example', audiences: ['a', 'b'], scopes: ['mcp'], rules };
  const draft = signInDraft({ ...read, updatedAt: null });
  expect(signInBody(draft)).toEqual(read);
  const typed = { ...draft, issuer: ' https://id.example ', audiences: ' a \n\nb\n' };
  expect(signInBody(typed)).toEqual(read);
});

test('an organisation without a provider begins with empty fields', () => {
  const none = { issuer: null, audiences: [], scopes: [], rules: [], updatedAt: null };
  expect(signInDraft(none)).toEqual({ issuer: '', audiences: '', scopes: '', rules: [] });
});
