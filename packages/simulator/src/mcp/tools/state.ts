// The state that a client carries from one round of a call to the next: signed, since it comes back from
// outside. The key is fixed, so that any replica and any restart accepts it, as a real fleet would.

import { createRequestStateCodec } from '@modelcontextprotocol/server';

import type { JsonObject } from '../../json';

const KEY = 'a simulator has no secrets, but MCP asks for 32 bytes';

export const requestState = createRequestStateCodec<JsonObject>({ key: KEY });
