import { hash } from 'node:crypto';

// The names of end users and sessions in what clients send.

/** No control, format or unassigned characters. */
const PRINTABLE = /^[^\p{C}]*$/u;

/**
 * A name of at most `most` characters. A longer or unprintable one is replaced by its SHA-256, because truncation could
 * make two names equal.
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

/** The length from which a text is only a name: the forms of Claude Code are shorter. */
const SPLIT_MOST = 1_024;
/** The older form of Claude Code: user_<device>_account_<account>_session_<session>; the account may be empty. */
const [USER, ACCOUNT, SESSION] = ['user_', '_account_', '_session_'] as const;

/**
 * What a body names as its user. Claude Code puts its session there as well, in one of two forms: then the end user
 * is the account, or the device where no account is signed in.
 */
export function splitUserId(text: string): UserId {
  const whole = { endUser: text, session: undefined };
  if (text.length > SPLIT_MOST) return whole;
  if (text.startsWith('{')) return splitJson(text) ?? whole;
  const at = text.indexOf(SESSION);
  const session = text.slice(at + SESSION.length);
  if (at < 0 || session === '') return whole;
  const before = text.slice(0, at);
  const account = before.startsWith(USER) ? before.indexOf(ACCOUNT, USER.length) : -1;
  if (account < 0) return { endUser: before, session };
  const endUser = before.slice(account + ACCOUNT.length) || before.slice(USER.length, account);
  return { endUser, session };
}

function splitJson(text: string): UserId | undefined {
  if (!text.includes('"session_id"')) return undefined;
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
