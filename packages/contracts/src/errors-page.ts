// docs/errors.md, written from the error tables.
import { ERROR_CODE_HEADER, MAX_RETRY_AFTER_MS } from './error-headers';
import { ERRORS, REST_ERRORS, type ErrorRow } from './errors';

const STATUS_NOTE = `If a row has two statuses, the first is the answer of \`/v1/llm/chat\`, and the second that of routes in a
vendor's format, whose SDKs expect it.`;

export function errorsPage(): string {
  return `<!-- Generated from packages/contracts/src/errors.ts by \`pnpm --filter @tollgate/contracts errors-page\`. -->

# Errors

## Gateway

The errors of \`/v1\` and \`/v1beta\`. Every error has its code in the header \`${ERROR_CODE_HEADER}\`. In the
body of the gateway's own errors the code is \`error.code\`, and in Gemini's format
\`error.details[0].reason\`. Each answer has the request id in \`x-request-id\` and \`request-id\`.

If sending the same request again cannot help, the answer says \`x-should-retry: false\`. \`Retry-After\`
announces waits of up to ${MAX_RETRY_AFTER_MS / 1000} seconds (\`MAX_RETRY_AFTER_MS\` in \`packages/contracts/src/error-headers.ts\`), because
SDKs sleep as long as it says. For a longer wait the answer says \`x-should-retry: false\`, and its body says
when: a rate limit in \`details.retryAfterSeconds\` and in the message, a quota or a budget in \`details.limit\`.

A refusal by a limit says in \`details.limit\` what the limit is, what is spent, what is held (for running requests, or
in advance), and what this request needs; \`details.need\` how many input tokens and at most how many output tokens that
is for, and whether the client sent the output bound (\`REQUESTED\`), the gateway assumed the most that the model
may write (\`ASSUMED\`), or the output follows from the request and cannot be bounded, as that of images and speech (\`EXPECTED\`).

A body above \`BODY_LIMIT_BYTES\` (32 MiB), or a form above \`UPLOAD_LIMIT_BYTES\` (200 MiB), is 400
\`invalid_request\`, not 413.

If the client speaks the upstream's format, a refusal with the status 400, 404, 409, 413, 415, 422, 429 or 529 is
the vendor's own: status, body, \`retry-after\`, \`retry-after-ms\` and \`x-should-retry\`, but no longer wait than above. The body of such a refusal
has the vendor's code, so the gateway's code is only in the header \`${ERROR_CODE_HEADER}\`. Refusals of the gateway's
credentials or account, and failures of the provider, are always the gateway's own
([errors and headers that pass through](relayed.md)).

If the provider refuses a prompt as longer than the model's context, the gateway's own error also says so in the
words of the client's format, which agents look for: the code \`context_length_exceeded\` in OpenAI's formats, the
message \`prompt is too long\` in messages, \`exceeds the maximum number of tokens\` in Gemini's. In the header, and
on \`/v1/llm/chat\`, the code is \`upstream_rejected\`.

After the first byte of a stream an error is an event in the stream's format.

${table(ERRORS)}

${STATUS_NOTE}

## Management API

The errors of \`/api\`, as \`{"error": {"code", "message", "details"}}\`.

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
