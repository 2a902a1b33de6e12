import { request } from 'node:http';
import { rest } from '@tollgate/contracts';

import type { Database } from '../../../schema';
import { objectIdsOf, type Params } from '../object-ids';
import { ADMIN, type RestServer, type Who } from '../rest-server';
import { createTenant, type Tenant } from '../tenant';
import type { Document, Operation } from './document';
import type { Caller, Drawn } from './requests';

/** Sends drawn requests and checks their answers. */

export interface Fuzzer {
  /** Restores the world: signs callers in again and recreates deleted objects. */
  mend(): Promise<void>;
  /** Sends one request and returns its status; throws when the answer is wrong. */
  send(operation: Operation, drawn: Drawn): Promise<number>;
}

interface World {
  readonly own: Params;
  readonly rival: Params;
  readonly tenant: Tenant;
}

interface Answer {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly requestId: string;
  readonly text: string;
}

/** A missing answer is a failure too. */
const DEADLINE_MS = 30_000;
const UPSTREAM_SECRET = 'sk-secret-of-the-upstream-0001';

export function createFuzzer(server: RestServer, database: Database, document: Document): Fuzzer {
  let root = server.root;
  let world: World | undefined;
  let worlds = 0;
  /** Whether a request has deleted or disabled something of an organisation. */
  const broken = { own: true, rival: true };

  const tokenOf = (caller: Caller): string | undefined => {
    if (caller === 'nobody') return undefined;
    if (caller === 'forger') return 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.';
    return caller === 'SUPER_ADMIN' ? root?.token : world?.tenant.callers[caller]?.token;
  };

  const alive = async (who: Who): Promise<boolean> =>
    (await server.call(who, rest.getMe)).status === 200;

  async function signedIn({ callers }: Tenant): Promise<boolean> {
    for (const role of ['ORG_ADMIN', 'MANAGER', 'USER'] as const) {
      if (!(await alive(callers[role]))) return false;
    }
    return true;
  }

  async function build(whose: 'own' | 'rival'): Promise<{ tenant: Tenant; ids: Params }> {
    worlds += 1;
    const tenant = await createTenant(server, `${whose}-${String(worlds)}`, root);
    return { tenant, ids: await objectIdsOf(server, database, tenant) };
  }

  /** Building takes most of the time of all requests, so only what is broken is built again. */
  async function rebuild(before: World | undefined): Promise<World> {
    const kept = before !== undefined && !broken.own && (await signedIn(before.tenant));
    const own = kept ? { tenant: before.tenant, ids: before.own } : await build('own');
    const rival = before && !broken.rival ? before.rival : (await build('rival')).ids;
    return { tenant: own.tenant, own: own.ids, rival };
  }

  return {
    async mend() {
      // The throttle would delay the next sign-in as well.
      await database.pool.query('DELETE FROM sign_in_throttle');
      if (!(await alive(root))) {
        await restoreRoot(database);
        root = await server.signIn(ADMIN.email, ADMIN.password);
      }
      world = await rebuild(world);
      broken.own = broken.rival = false;
    },

    async send(operation, drawn) {
      if (world === undefined) throw new Error('nothing has been built');
      const ids = world;
      const token = tokenOf(drawn.caller);
      const answer = await exchange(server.url, operation.method, {
        path: filled(drawn.path, ids),
        body: drawn.body === undefined ? undefined : filled(drawn.body, ids),
        headers: {
          ...drawn.headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      });
      const stranger = token === undefined && !operation.open && namesSomething(drawn.path);
      const fault =
        stranger && answer.status !== 401
          ? 'a stranger got past the door'
          : faultOf(document, operation, answer);
      if (fault !== undefined) {
        const cause = server.logs.findLast((line) => line.includes(answer.requestId));
        const told = `${operation.id}: ${answer.status}: ${fault}`;
        throw new Error(`${told}\n${answer.text.slice(0, 1_000)}\n${cause ?? ''}`);
      }
      if (takesAway(operation, answer.status)) {
        const named = namedIn(drawn);
        broken.own ||= named.own;
        broken.rival ||= named.rival;
      }
      return answer.status;
    },
  };
}

/** Replaces `{{own.NAME}}` and `{{rival.NAME}}` by ids of the world. */
function filled(text: string, { own, rival }: World): string {
  return text.replace(/\{\{(own|rival)\.(\w+)\}\}/g, (_whole, whose: string, name: string) => {
    const id = (whose === 'own' ? own : rival)[name];
    if (id === undefined) throw new Error(`no id for ${name}`);
    return id;
  });
}

/** Whose objects a request names; the caller's own if it names none. */
function namedIn({ body = '', path }: Drawn): { own: boolean; rival: boolean } {
  const sent = `${path} ${body}`;
  const rival = sent.includes('{{rival.');
  return { own: !rival || sent.includes('{{own.'), rival };
}

/** Actions that leave every object as it was, or as the others need it. */
const HARMLESS = /^(test|mark|replay|resend|discover|addRecommended|enable|resume|recompute)/;

/** Deletes, and actions that end an object: archive, revoke, disable. */
function takesAway({ id, method }: Operation, status: number): boolean {
  if (method === 'DELETE') return status < 300;
  return method === 'POST' && status < 300 && status !== 201 && !HARMLESS.test(id);
}

/** Restores the first super admin directly in the database. */
async function restoreRoot(database: Database): Promise<void> {
  await database.pool.query(
    `UPDATE user_account SET status = 'ACTIVE', role = 'SUPER_ADMIN', password_hash = $2
      WHERE email = $1`,
    [ADMIN.email, `fast:${ADMIN.password}`],
  );
}

/** Whether the path can be decoded. Otherwise the answer precedes authentication. */
function namesSomething(path: string): boolean {
  try {
    decodeURIComponent(path.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

interface Sent {
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends raw bytes, because HTTP clients refuse to send invalid requests. */
function exchange(url: string, method: string, sent: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const bytes = sent.body === undefined ? undefined : Buffer.from(sent.body, 'latin1');
    const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
    const headers = { ...sent.headers, ...length };
    const { path } = sent;
    const call = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      const mediaType = response.headers['content-type']?.split(';')[0];
      const whole = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          mediaType,
          requestId: String(response.headers['x-request-id']),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        // Events have no end in a test: the first one is enough.
        if (mediaType !== 'text/event-stream') return;
        whole();
        call.destroy();
      });
      response.once('error', reject);
      response.once('end', whole);
    });
    call.setTimeout(DEADLINE_MS, () => call.destroy(new Error(`no answer to ${method} ${path}`)));
    call.once('error', reject);
    call.end(bytes);
  });
}

function faultOf(document: Document, operation: Operation, answer: Answer): string | undefined {
  const { status, mediaType, text } = answer;
  if (!/^[0-9a-f-]{36}$/.test(answer.requestId)) return 'it has no request id';
  if (text.includes(UPSTREAM_SECRET)) return "it tells an upstream's secret";
  const documented = operation.answers.get(status);
  if (status >= 500 && !(status === 503 && documented !== undefined)) return 'it is a fault';
  if (status === 304) return undefined;
  if (documented === undefined) return 'this status is not documented';
  if (documented.length === 0) return text === '' ? undefined : 'a body where none is documented';
  if (mediaType === undefined || !documented.includes(mediaType)) {
    return `the media type ${String(mediaType)} is not documented`;
  }
  if (mediaType !== 'application/json') return undefined;
  const body: unknown = JSON.parse(text);
  const fault = document.faultOf(operation, status, mediaType, body);
  if (fault !== undefined) return `the body breaks its schema: ${fault}`;
  if (status !== 422) return undefined;
  const { details } = rest.errorBody.parse(body).error;
  return details.length > 0 ? undefined : 'no field is named';
}
