// A real OpenID Connect provider for tests, as a process of its own because it is an ES module with
// many more behind it. Its first line on stdout is its issuer; it ends when its stdin does.
//
// PUT /test/person {sub, claims, idToken?, refuses?} says who signs in next, without a form; `claims` are
// told by userinfo and `idToken` in the ID token; `refuses` is somebody who cancels. The rest is the
// provider.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [clientId, clientSecret, redirectUri] = process.argv.slice(2);
const people = new Map();
let next;

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = createProvider(issuer);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    route(provider, answer, request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  process.stdout.write(`${issuer}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();

async function route(provider, answer, request, response) {
  if (request.url === '/test/person') {
    next = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    people.set(next.sub, next);
    response.writeHead(204).end();
    return;
  }
  if (!request.url.startsWith('/interaction/')) {
    answer(request, response);
    return;
  }
  const result = next.refuses
    ? { error: 'access_denied', error_description: 'the person cancelled' }
    : { login: { accountId: next.sub } };
  await provider.interactionFinished(request, response, result);
}

function createProvider(issuer) {
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'groups', 'organisation', 'teams'],
    },
    conformIdTokenClaims: false,
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: (use) => ({
        sub,
        ...(use === 'id_token' ? people.get(sub).idToken : people.get(sub).claims),
      }),
    }),
    // Everybody has agreed already.
    async loadExistingGrant(context) {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  return provider;
}
