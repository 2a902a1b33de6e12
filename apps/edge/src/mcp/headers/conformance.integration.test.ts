// The inputs of the official conformance suite's scenarios `http-header-validation` and
// `http-custom-header-server-validation` (0.2.0-alpha.12), as they arrive over a real socket.

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { checkModernHeaders, type CheckedMessage } from './modern-headers';
import { paramHeadersOf } from './param-headers';

const VERSION = '2026-07-28';
const TOOL = 'test_x_mcp_header';
const SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

let server: Server;

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as CheckedMessage;
      const message = { ...body, kind: 'request' } as const;
      const found = checkModernHeaders(req.headersDistinct, message, paramHeadersOf(SCHEMA));
      res.statusCode = found ? 400 : 200;
      res.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => server.close());

function statusOf(
  method: string,
  params: object,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const meta = { 'io.modelcontextprotocol/protocolVersion': VERSION };
  const body = JSON.stringify({ method, params: { ...params, _meta: meta } });
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        agent: false,
        headers: { 'MCP-Protocol-Version': VERSION, ...headers },
      },
      (res) => {
        res.resume();
        resolve(res.statusCode);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const call = { name: TOOL, arguments: {} };

test.each([
  ['ServerRejectsMismatchedMethodHeader', 'tools/list', {}, { 'Mcp-Method': 'prompts/list' }, 400],
  ['ServerRejectsMissingMethodHeader', 'tools/list', {}, {}, 400],
  [
    'ServerRejectsMismatchedNameHeader',
    'tools/call',
    call,
    { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'wrong_tool_name' },
    400,
  ],
  [
    'ServerAcceptsWhitespaceHeaderValue',
    'tools/call',
    call,
    { 'Mcp-Method': 'tools/call', 'Mcp-Name': `  ${TOOL}  ` },
    200,
  ],
  ['ServerRejectsMissingNameHeader', 'tools/call', call, { 'Mcp-Method': 'tools/call' }, 400],
  ['ServerAcceptsLowercaseHeaderName', 'tools/list', {}, { 'mcp-method': 'tools/list' }, 200],
  ['ServerAcceptsUppercaseHeaderName', 'tools/list', {}, { 'MCP-METHOD': 'tools/list' }, 200],
  ['ServerRejectsCaseMismatchValue', 'tools/list', {}, { 'Mcp-Method': 'TOOLS/LIST' }, 400],
])('%s', async (_name, method, params, headers, status) => {
  expect(await statusOf(method, params, headers as Record<string, string>)).toBe(status);
});

test.each([
  ['ServerAcceptsValidBase64', 'Hello', '=?base64?SGVsbG8=?=', 200],
  ['ServerRejectsInvalidBase64Padding', 'Hello', '=?base64?SGVsbG8?=', 400],
  ['ServerRejectsInvalidBase64Chars', 'Hello', '=?base64?SGVs!!!bG8=?=', 400],
  ['ServerLiteralMissingBase64Prefix', 'SGVsbG8=', 'SGVsbG8=', 200],
  ['ServerLiteralMissingBase64Suffix', '=?base64?SGVsbG8=', '=?base64?SGVsbG8=', 200],
  ['ServerRejectsMissingCustomHeader', 'test-value', undefined, 400],
])('%s', async (_name, region, header, status) => {
  const headers = {
    'Mcp-Method': 'tools/call',
    'Mcp-Name': TOOL,
    ...(header !== undefined && { 'Mcp-Param-Region': header }),
  };
  expect(await statusOf('tools/call', { name: TOOL, arguments: { region } }, headers)).toBe(status);
});
