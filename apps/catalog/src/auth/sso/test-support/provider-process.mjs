// A real OpenID Connect provider for tests, in its own process because it is an ES module with many
// dependencies. The first line on stdout is its issuer; it exits when stdin closes. PUT
// /test/person {sub, claims, idToken?, refuses?} sets who signs in next, without a form. userinfo
// returns `claims`, the ID token contains `idToken`, and `refuses` cancels the sign-in.
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
    // Consent is always given.
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
