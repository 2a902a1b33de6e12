// docs/errors.md, written from the error tables.
import { ERROR_CODE_HEADER, MAX_RETRY_AFTER_MS } from './error-headers';
import { ERRORS, REST_ERRORS, type ErrorRow } from './errors';

const STATUS_NOTE = `Where a row has two statuses, the second is the answer on routes in a vendor's format, whose SDKs expect
it. The first is that of \`/v1/llm/chat\`.`;

export function errorsPage(): string {
  return `<!-- Generated from packages/contracts/src/errors.ts by \`pnpm --filter @tollgate/contracts errors-page\`. -->

# Errors

## Gateway

What clients of \`/v1\` and \`/v1beta\` can meet. The code is in the header \`${ERROR_CODE_HEADER}\` of every
error. In the body of the gateway's own errors it is \`error.code\`, and in Gemini's format
\`error.details[0].reason\`. Each answer carries the request id in \`x-request-id\` and \`request-id\`.

Where sending the same request again cannot help, the answer says \`x-should-retry: false\`. \`Retry-After\`
announces waits of at most ${MAX_RETRY_AFTER_MS / 1000} seconds, since SDKs sleep as long as it says. For a longer wait the answer
says \`x-should-retry: false\`, and the body says when: a rate limit in \`details.retryAfterSeconds\` and in the
message, a quota or a budget in \`details.limit\`.

Where the client speaks the upstream's format, a refusal with the status 400, 404, 409, 413, 415, 422, 429 or 529 is
the vendor's own: status, body, \`retry-after\`, \`retry-after-ms\` and \`x-should-retry\`. Only the header tells our
code then. Refusals of the gateway's credentials or account, and failures of the provider, are always ours.

After the first byte of a stream an error is an event in the stream's format.

${table(ERRORS)}

${STATUS_NOTE}

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
        `| ${statusIn(row)} | \`${code}\` | ${row.retryable ? 'yes' : 'no'} | ${row.sentence} |`,
    ),
  ].join('\n');
}

function statusIn({ status, vendorStatus }: ErrorRow): string {
  return vendorStatus === undefined ? String(status) : `${status}, ${vendorStatus}`;
}
