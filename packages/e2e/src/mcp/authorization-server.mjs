// A real OAuth authorization server for tests, in its own process because it is an ES module with many
// dependencies. It issues JSON Web Tokens for any resource, to clients that authenticate themselves. The
// first line on stdout is its issuer; it exits when stdin closes. Arguments: pairs of client id and secret.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const given = process.argv.slice(2);
const clients = [];
for (let at = 0; at < given.length; at += 2) {
  clients.push({
    client_id: given[at],
    client_secret: given[at + 1],
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  });
}

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients,
    cookies: { keys: ['only for tests'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'mcp',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
        }),
      },
    },
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
