import { signatureFault, type SigningKey } from './aws-signature';
import {
  linesOf,
  listen,
  misbehave,
  type Line,
  type Listening,
  type Misbehaviour,
} from './receive';

export interface StorageServer extends Listening {
  /** Objects by name, as last written. */
  readonly objects: ReadonlyMap<string, StoredBody>;
  /** How often each name was written. */
  readonly writes: ReadonlyMap<string, number>;
  /** Error codes that were answered. */
  readonly refusals: string[];
  lines(): Line[];
}

export interface StoredBody {
  readonly body: Buffer;
  readonly encoding: string | undefined;
}

export interface StorageOptions {
  readonly key: SigningKey;
  readonly bucket: string;
  /**
   * Misbehaviour of a call. LOST: the object is stored, and the connection is closed instead of an
   * answer. HALF: the same in the middle of the answer.
   */
  readonly fault?: (name: string) => Misbehaviour | 'LOST' | 'HALF' | undefined;
}

const CODES: Readonly<Record<number, string>> = { 403: 'AccessDenied', 503: 'SlowDown' };

/** Keeps objects like a storage with path-style addresses, and checks every signature. */
export async function startStorage({ key, bucket, fault }: StorageOptions): Promise<StorageServer> {
  const objects = new Map<string, StoredBody>();
  const writes = new Map<string, number>();
  const refusals: string[] = [];
  const answer = (code: string): string => `<Error><Code>${code}</Code></Error>`;
  const server = await listen((request, body, response) => {
    const { method = '', url = '', headers } = request;
    const name = decodeURIComponent(url.slice(`/${bucket}/`.length));
    const refuse = (status: number, code: string): void => {
      refusals.push(code);
      response.writeHead(status, { 'content-type': 'application/xml' }).end(answer(code));
    };
    const how = fault?.(name);
    if (how !== 'LOST' && how !== 'HALF') {
      const code = typeof how === 'number' ? (CODES[how] ?? 'InternalError') : '';
      if (misbehave(how, response, answer(code))) {
        refusals.push(code === '' ? String(how) : code);
        return;
      }
    }
    const wrong = signatureFault({ method, url, headers, body }, key);
    if (wrong !== undefined) return refuse(403, wrong);
    if (method !== 'PUT') return refuse(405, 'MethodNotAllowed');
    if (!url.startsWith(`/${bucket}/`)) return refuse(404, 'NoSuchBucket');
    objects.set(name, { body, encoding: headers['content-encoding'] });
    writes.set(name, (writes.get(name) ?? 0) + 1);
    if (how === 'LOST') return void response.destroy();
    if (how === 'HALF') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
      return;
    }
    response.writeHead(200, { etag: '"x"' }).end();
  });
  return {
    ...server,
    objects,
    writes,
    refusals,
    lines: () => [...objects.values()].flatMap(({ body, encoding }) => linesOf(body, encoding)),
  };
}
