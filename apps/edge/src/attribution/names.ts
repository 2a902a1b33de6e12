import { hash } from 'node:crypto';

// The names of end users and sessions in what clients send.

/** Neither control characters nor such as are no text. */
const PRINTABLE = /^[^\p{C}]*$/u;

/**
 * A name of at most `most` characters. One that is longer or not printable is replaced by its SHA-256: cut, it could
 * be taken for another one.
 */
export function boundedName(text: string, most: number): string {
  const name = text.trim();
  if (name.length <= most && PRINTABLE.test(name)) return name;
  return `sha256:${hash('sha256', name, 'hex')}`;
}

/** Headers in which coding agents name their session: Claude Code, Codex. */
const SESSION_HEADERS = ['x-claude-code-session-id', 'session_id', 'session-id'] as const;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** As it was sent; undefined: none was. */
export function sessionHeader(headers: Headers): string | undefined {
  for (const header of SESSION_HEADERS) {
    const value = headers[header];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

export interface UserId {
  readonly endUser: string;
  /** Undefined: the text names none. */
  readonly session: string | undefined;
}

/** The older form of Claude Code: user_<device>_account_<account>_session_<session>; the account may be empty. */
const JOINED = /^(?:user_(.*?)_account_(.*?)|(.*?))_session_(.+)$/s;
const NAMES_SESSION = '_session_';

/**
 * What a body names as its user. Claude Code puts its session there as well, in one of two forms: then the end user
 * is the account, or the device where no account is signed in.
 */
export function splitUserId(text: string): UserId {
  if (text.startsWith('{')) return splitJson(text) ?? { endUser: text, session: undefined };
  if (!text.includes(NAMES_SESSION)) return { endUser: text, session: undefined };
  const [, device = '', account = '', other = '', session] = JOINED.exec(text) ?? [];
  if (session === undefined) return { endUser: text, session: undefined };
  return { endUser: account || device || other, session };
}

/** The length from which a text is not read as JSON. */
const JSON_MOST = 1_024;

function splitJson(text: string): UserId | undefined {
  if (text.length > JSON_MOST || !text.includes('"session_id"')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { account_uuid, device_id, session_id } = value as Record<string, unknown>;
  const session = textOf(session_id);
  if (session === '') return undefined;
  return { endUser: textOf(account_uuid) || textOf(device_id), session };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
