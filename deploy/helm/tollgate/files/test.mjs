// `helm test`: every service answers, and a request goes the whole way to policy and catalog.
import { randomBytes } from 'node:crypto';

const { EDGE_URL, CATALOG_URL, CONSOLE_URL, API_KEY, MODEL } = process.env;
let failed = 0;

async function check(title, url, options, expected) {
  let said;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(20_000), ...options });
    const code = answer.headers.get('x-tollgate-error-code');
    said = code ? `${answer.status} ${code}` : String(answer.status);
    await answer.text();
  } catch (error) {
    said = String(error.cause ?? error);
  }
  const ok = said === expected;
  if (!ok) failed += 1;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${title}: ${said}${ok ? '' : `, not ${expected}`}`);
}

const chat = (key, model) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
});
const chatUrl = `${EDGE_URL}/v1/chat/completions`;

await check('the edge serves', `${EDGE_URL}/v1/healthz?scope=serving`, {}, '200');
await check('every dependency is well', `${EDGE_URL}/v1/healthz`, {}, '200');
await check('the management API answers', `${CATALOG_URL}/api/openapi.json`, {}, '200');
if (CONSOLE_URL) await check('the console answers', `${CONSOLE_URL}/login`, {}, '200');
// Nobody has this key: policy asks the catalog, which asks its database.
const unknown = `tg_${randomBytes(32).toString('base64url')}`;
await check('an unknown key is refused', chatUrl, chat(unknown, 'any'), '401 invalid_api_key');
if (API_KEY) await check('a chat is answered', chatUrl, chat(API_KEY, MODEL), '200');
process.exit(failed === 0 ? 0 : 1);
