// The headers of a secret that is sent as it is.

type Headers = Readonly<Record<string, string>>;

export interface HeaderAuth {
  /** NONE, BEARER, HEADER */
  readonly type: string;
  /** Of HEADER: its name. */
  readonly header?: string | undefined;
  /** Of HEADER: its value, with {{secret}} once. */
  readonly template?: string | undefined;
}

/** Stands for the secret in the value of a header. */
const SECRET_PLACE = '{{secret}}';

/** Throws what `misconfigured` makes of a problem. */
export function authHeaders(
  { header = '', template = '', type }: HeaderAuth,
  secret: string,
  misconfigured: (problem: string) => Error,
): Headers {
  if (type === 'NONE') return {};
  if (secret === '') throw misconfigured('its secret is missing');
  if (type === 'BEARER') return checked('authorization', `Bearer ${secret}`, misconfigured);
  if (type !== 'HEADER') throw misconfigured('its kind of authentication is unknown');
  const [before, after, more] = template.split(SECRET_PLACE);
  if (before === undefined || after === undefined || more !== undefined) {
    throw misconfigured(`the value of its header does not have ${SECRET_PLACE} exactly once`);
  }
  return checked(header.toLowerCase(), `${before}${secret}${after}`, misconfigured);
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const HEADER_TEXT = /^[\t\x20-\x7e]+$/;

function checked(name: string, value: string, misconfigured: (problem: string) => Error): Headers {
  if (!HEADER_NAME.test(name)) throw misconfigured('the name of its header is not valid');
  // An invalid value would fail each call, with an error that quotes it.
  if (!HEADER_TEXT.test(value)) {
    throw misconfigured('its secret has characters that a header cannot have');
  }
  return { [name]: value };
}
