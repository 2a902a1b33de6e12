// docs/errors.md, written from the error tables.
import type { ErrorRow } from './errors';
import { ERRORS, MAX_RETRY_AFTER_MS, REST_ERRORS } from './errors';

export function errorsPage(): string {
  return `<!-- Generated from packages/contracts/src/errors.ts by \`pnpm --filter @tollgate/contracts errors-page\`. -->

# Errors

## Gateway

What clients of \`/v1\` and \`/v1beta\` can meet. The code is \`error.code\` in every format but
Gemini's, where it is \`error.details[0].reason\`. Each answer carries the request id in
\`x-request-id\` and \`request-id\`. Where sending the same request again cannot help, the answer says
\`x-should-retry: false\`; \`Retry-After\` announces waits of at most ${MAX_RETRY_AFTER_MS / 1000} seconds, since SDKs sleep as
long as it says. After the first byte of a stream an error is an event in the stream's format.

${table(ERRORS)}

## Management API

What clients of \`/api\` can meet, as \`{"error": {"code", "message", "details"}}\`.

${table(REST_ERRORS)}
`;
}

function table(rows: Readonly<Record<string, ErrorRow>>): string {
  const byStatus = Object.entries(rows).sort(([, a], [, b]) => a.status - b.status);
  return [
    '| Status | Code | Send again? | What it means |',
    '| --- | --- | --- | --- |',
    ...byStatus.map(
      ([code, row]) =>
        `| ${row.status} | \`${code}\` | ${row.retryable ? 'yes' : 'no'} | ${row.sentence} |`,
    ),
  ].join('\n');
}
