import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface TestPerson {
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Additional claims of the ID token; `claims` are returned by userinfo. */
  readonly idToken?: Readonly<Record<string, unknown>>;
  /** Cancels at the provider. */
  readonly refuses?: boolean;
}

export interface IdentityProvider {
  readonly issuer: string;
  /** Sets who signs in next. */
  expect(person: TestPerson): Promise<void>;
  stop(): Promise<void>;
}

/** A real OpenID Connect provider on its own port. */
export async function startIdentityProvider(client: {
  id: string;
  secret: string;
  redirectUri: string;
}): Promise<IdentityProvider> {
  const script = join(__dirname, 'provider-process.mjs');
  const child = spawn(process.execPath, [script, client.id, client.secret, client.redirectUri], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  let issuer: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    issuer = /^http:\S+$/.exec(line)?.[0];
    if (issuer !== undefined) break;
  }
  if (issuer === undefined) throw new Error('the identity provider did not start');
  child.stdout.resume();
  return {
    issuer,
    async expect(person) {
      const response = await fetch(`${issuer}/test/person`, {
        method: 'PUT',
        body: JSON.stringify(person),
      });
      expect(response.status).toBe(204);
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

export interface Browser {
  /** Follows redirects from `url` to the sign-in page and returns that page's query. */
  signIn(url: string): Promise<URLSearchParams>;
  cookie(name: string): string | undefined;
  forget(name: string): void;
}

const MAX_REDIRECTS = 10;

/** A headless browser: keeps cookies, and resolves the console's address to `server`. */
export function createBrowser(console: string, server: string): Browser {
  const jar = new Map<string, string>();
  return {
    async signIn(url) {
      let at = url;
      for (let n = 0; n < MAX_REDIRECTS; n += 1) {
        if (at.startsWith(`${console}/login`)) return new URL(at).searchParams;
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const target = at.replace(console, server);
        const response = await fetch(target, { headers: { cookie }, redirect: 'manual' });
        for (const header of response.headers.getSetCookie()) {
          const [pair = ''] = header.split(';');
          const name = pair.slice(0, pair.indexOf('='));
          const value = pair.slice(pair.indexOf('=') + 1);
          if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(header)) jar.delete(name);
          else jar.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${at}: ${response.status} and no redirect`);
        at = new URL(location, at).href;
      }
      throw new Error(`more than ${MAX_REDIRECTS} redirects, the last to ${at}`);
    },
    cookie: (name) => jar.get(name),
    forget: (name) => void jar.delete(name),
  };
}
