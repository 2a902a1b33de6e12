// Protection against DNS rebinding: a web page whose name resolves to the loopback address sends that
// name as Host. On other addresses any name may be correct.

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

/** Why a request to this address is refused; undefined if it is not. */
export function foreignHost(
  localAddress: string | undefined,
  { host = '', origin }: { host?: string | undefined; origin?: string | undefined },
): string | undefined {
  if (!LOOPBACK_ADDRESS.test(localAddress ?? '')) return undefined;
  if (!isLoopback(`http://${host}`)) return `Invalid Host: ${host}`;
  if (origin !== undefined && !isLoopback(origin)) return `Invalid Origin: ${origin}`;
  return undefined;
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_NAMES.has(new URL(url).hostname);
}
