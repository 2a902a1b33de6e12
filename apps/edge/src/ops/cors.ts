import type { RequestHandler } from 'express';

/** Response headers that scripts of an allowed page may read. */
const EXPOSED = [
  'age',
  'mcp-protocol-version',
  'mcp-session-id',
  'openai-processing-ms',
  'openai-version',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'www-authenticate',
  'x-request-id',
  'x-should-retry',
  'deprecation',
  'link',
  'sunset',
  'x-tollgate-attempt',
  'x-tollgate-budget-remaining-usd',
  'x-tollgate-cache',
  'x-tollgate-cache-reason',
  'x-tollgate-clamped',
  'x-tollgate-cost-usd',
  'x-tollgate-dropped',
  'x-tollgate-dry-run',
  'x-tollgate-error-code',
  'x-tollgate-experiment',
  'x-tollgate-held-usd',
  'x-tollgate-max-output-tokens',
  'x-tollgate-model',
  'x-tollgate-upstream-model',
  'x-tollgate-usage',
  'x-tollgate-provider',
  'x-tollgate-request-id',
  'x-tollgate-routing',
  'x-tollgate-screening',
  'x-tollgate-soft-exceeded',
  'x-tollgate-tags-ignored',
  'x-tollgate-upstream-request-id',
  ...['requests', 'tokens'].flatMap((rate) =>
    ['limit', 'remaining', 'reset'].flatMap((field) => [
      `x-ratelimit-${field}-${rate}`,
      `anthropic-ratelimit-${rate}-${field}`,
    ]),
  ),
].join(', ');

/**
 * Lets pages of the given origins call the gateway. Keys travel in headers, so cookies are not
 * allowed.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin === undefined || !(any || allowed.has(origin))) return next();
    res.set({ 'access-control-allow-origin': any ? '*' : origin, vary: 'Origin' });
    if (req.method !== 'OPTIONS') {
      res.set('access-control-expose-headers', EXPOSED);
      return next();
    }
    res.set({
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': req.headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': '600',
    });
    res.status(204).end();
  };
}
