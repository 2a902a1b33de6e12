// Sessions without a store. The id that a client gets is its server's session id, encrypted together with
// what it belongs to, so that every edge can open it. It is opened only for whom it was made for.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyRing } from '@tollgate/contracts/node';

/** What a session id of a client stands for. */
export interface McpSession {
  /** A UUID. */
  serverId: string;
  connectionVersion: number;
  /** The session id of the server. */
  upstreamId: string;
  /** Base URL of the replica of the runner that has the session; empty: no runner. */
  runnerUrl: string;
}

export interface SessionSeals {
  /** Undefined: what is sealed would be too long for a header. */
  seal: (session: McpSession, principal: Buffer) => string | undefined;
  /** Undefined: it was not sealed here for this principal, or was changed. */
  open: (sealed: string, principal: Buffer) => McpSession | undefined;
}

/** Ids of common length, such as a UUID with a runner's URL, are sealed into less than 400 characters. */
const UPSTREAM_ID_BYTES = 1_024;
const RUNNER_URL_BYTES = 255;
const SEALED_CHARACTERS = 2_048;

const LAYOUT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SERVER_ID_BYTES = 16;
/** Layout, server, version, length of the runner's URL. */
const FIXED_BYTES = 1 + SERVER_ID_BYTES + 6 + 1;
/** Keys for sessions are derived, so that none of them encrypts a provider's secret as well. */
const PURPOSE = 'tollgate mcp session';
const KEY_BYTES = 32;

/** The current key of the ring seals; all of its keys open, so that keys can be rotated. */
export function createSessionSeals(ring: KeyRing): SessionSeals {
  const keys = new Map(
    [...ring.keys].map(([id, key]) => [
      id,
      Buffer.from(hkdfSync('sha256', key, '', PURPOSE, KEY_BYTES)),
    ]),
  );
  return {
    seal: (session, principal) => {
      const plain = encode(session);
      const key = keys.get(ring.currentId);
      if (!plain || !key) return undefined;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(principal);
      const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
      return `${ring.currentId}~${Buffer.concat(sealed).toString('base64url')}`;
    },
    open: (sealed, principal) => {
      if (sealed.length > SEALED_CHARACTERS) return undefined;
      const [, keyId = '', text = ''] = /^([\w.-]+)~([\w-]+)$/.exec(sealed) ?? [];
      const key = keys.get(keyId);
      const bytes = Buffer.from(text, 'base64url');
      // The last character has bits that decode to nothing; one id must not have several forms.
      if (bytes.toString('base64url') !== text) return undefined;
      if (!key || bytes.length < NONCE_BYTES + FIXED_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(principal);
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
        return decode(Buffer.concat([decipher.update(body), decipher.final()]));
      } catch {
        // Sealed for somebody else, or changed. Node compares the tag in constant time.
        return undefined;
      }
    },
  };
}

function encode(session: McpSession): Buffer | undefined {
  const serverId = Buffer.from(session.serverId.replaceAll('-', ''), 'hex');
  const runnerUrl = Buffer.from(session.runnerUrl);
  const upstreamId = Buffer.from(session.upstreamId);
  const fits = runnerUrl.length <= RUNNER_URL_BYTES && upstreamId.length <= UPSTREAM_ID_BYTES;
  if (!fits || serverId.length !== SERVER_ID_BYTES) return undefined;
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt8(LAYOUT, 0);
  serverId.copy(fixed, 1);
  fixed.writeUIntBE(session.connectionVersion, 1 + SERVER_ID_BYTES, 6);
  fixed.writeUInt8(runnerUrl.length, FIXED_BYTES - 1);
  return Buffer.concat([fixed, runnerUrl, upstreamId]);
}

function decode(plain: Buffer): McpSession | undefined {
  if (plain.readUInt8(0) !== LAYOUT) return undefined;
  const hex = plain.toString('hex', 1, 1 + SERVER_ID_BYTES);
  const upstreamStart = FIXED_BYTES + plain.readUInt8(FIXED_BYTES - 1);
  return {
    serverId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    connectionVersion: plain.readUIntBE(1 + SERVER_ID_BYTES, 6),
    runnerUrl: plain.toString('utf8', FIXED_BYTES, upstreamStart),
    upstreamId: plain.toString('utf8', upstreamStart),
  };
}
